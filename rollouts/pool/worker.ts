/**
 * One thread of the pool: builds policy, variant and sources from a JSON spec, then runs the sessions it is given.
 *
 * Nothing live crosses the thread's edge. Records are posted as sessions end, so that a worker that dies loses only what
 * was running; results and errors are envelopes. A cut is cooperative: the thread is never ended inside native code.
 */
import { BroadcastChannel, type MessagePort } from "node:worker_threads";
import { workerData } from "piscina";
import { messageOf, UmaError } from "../../base/errors.ts";
import { loadVariant } from "../../graphs/variants/load-variant.ts";
import { loadPrompts } from "../../nodes/prompts/prompts.ts";
import type { SessionRecord } from "../../nodes/session/record.ts";
import { createPolicy } from "../../policies/index.ts";
import type { Policy } from "../../policies/policy.ts";
import { withSample } from "../../policies/with-sample.ts";
import { createEmbeddingCache } from "../../retrieval/embedding-cache.ts";
import { createSource, type Source } from "../../retrieval/source.ts";
import { toolsetNamed } from "../../tools/toolsets.ts";
import { answerQuestion, memorizeChunks, type SessionParts } from "../run-session-jobs.ts";
import { recentlyUsed } from "./recently-used.ts";
import { readSharedJson, shareBytes } from "./shared-bytes.ts";
import {
  type SharedMemory,
  Stop,
  type TaskFailure,
  type TaskResult,
  type WorkerSpec,
  type WorkerTask,
} from "./worker-messages.ts";

/** Live contexts are few: the schedule finishes one before it opens many others. */
const SOURCES = 32;
const MEMORIES = 64;

const spec = workerData as WorkerSpec;
const stop = new Int32Array(spec.stop);
const cut = new AbortController();
const channel = new BroadcastChannel(spec.channel);
channel.onmessage = () => cut.abort();
channel.unref();

const sources = recentlyUsed<string, Source>(SOURCES);
const memories = recentlyUsed<number, unknown>(MEMORIES);
const cache = createEmbeddingCache();
const parts = build();

async function build(): Promise<SessionParts> {
  const { limits, run, seed, time } = spec;
  return {
    ...{ limits, run, seed, time },
    variant: await loadVariant(spec.variant),
    policy: stoppable(await createPolicy(spec.policy)),
    toolset: toolsetNamed(spec.toolset),
    prompts: loadPrompts(spec.prompts),
    signal: cut.signal,
  };
}

/** A thread that computes hears no message: it looks at the shared word before each reply instead. */
const stoppable = (policy: Policy): Policy =>
  withSample(policy, (request) => {
    if (Atomics.load(stop, 0) === Stop.now) cut.abort();
    return policy.sample(request);
  });

/** Posts each record to `port`, then returns the envelope. */
export default async function runTask({ task, port }: { task: WorkerTask; port: MessagePort }): Promise<TaskResult> {
  let records = 0;
  const deliver = (record: SessionRecord) => {
    records++;
    port.postMessage(record);
  };
  try {
    const made = await parts;
    if (Atomics.load(stop, 0) === Stop.now) cut.abort();
    const source = sources.get(task.context.id, () => createSource(readSharedJson(task.context.chunks), { cache }));
    const place = { context: task.context.id, trajectory: task.trajectory, parent: task.parent, source };
    const memory = decode(made, task.memory);
    if (task.kind === "answer") {
      if (!made.signal.aborted) await answerQuestion(made, place, memory, task.question, deliver);
      return { ok: true, records, reached: 0, bytes: null };
    }
    const stopping = () => Atomics.load(stop, 0) !== Stop.no;
    const done = await memorizeChunks(made, place, memory, { from: task.from, to: task.to, stopping }, deliver);
    memories.put(task.result, done.memory);
    return { ok: true, records, reached: done.reached, bytes: shareBytes(made.variant.codec.encode(done.memory)) };
  } catch (thrown) {
    return { ok: false, records, failure: failureOf(thrown) };
  } finally {
    port.close();
  }
}

const failureOf = (thrown: unknown): TaskFailure =>
  thrown instanceof UmaError
    ? { code: thrown.code, message: thrown.message, fix: thrown.fix ?? null }
    : {
        code: null,
        message: thrown instanceof Error ? (thrown.stack ?? thrown.message) : messageOf(thrown),
        fix: null,
      };

const decode = ({ variant }: SessionParts, { id, bytes }: SharedMemory) =>
  memories.get(id, () => variant.codec.decode(new Uint8Array(bytes).slice()));
