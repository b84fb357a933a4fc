/**
 * One thread of the pool: builds each run's policy, variant and sources from a JSON spec, then runs the sessions it is given.
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
import type { Policy, PolicySpec } from "../../policies/policy.ts";
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
  type ThreadData,
  type WorkerSpec,
  type WorkerTask,
} from "./worker-messages.ts";

/** Live contexts are few: the schedule finishes one before it opens many others. */
const SOURCES = 32;
const MEMORIES = 64;

/** Runs that share the threads at a time, and what they sample with: a rollout, and an evaluation twice over. */
const RUNS = 8;
const POLICIES = 3;

/** One run's share of this thread. */
interface RunHere {
  readonly stop: Int32Array;
  readonly cut: AbortController;
  readonly parts: Promise<SessionParts>;
}

const runs = recentlyUsed<string, RunHere>(RUNS);
const policies = recentlyUsed<string, Promise<Policy>>(POLICIES, (policy) =>
  policy.then(({ close }) => close?.()).catch(() => {}),
);
const channel = new BroadcastChannel((workerData as ThreadData).channel);
channel.onmessage = (message) => runs.find(String((message as { data: unknown }).data))?.cut.abort();
channel.unref();

const sources = recentlyUsed<string, Source>(SOURCES);
const memories = recentlyUsed<number, unknown>(MEMORIES);
const cache = createEmbeddingCache();

function runOf(spec: WorkerSpec): RunHere {
  return runs.get(spec.key, () => {
    const stop = new Int32Array(spec.stop);
    const cut = new AbortController();
    return { stop, cut, parts: build(spec, stop, cut) };
  });
}

async function build(spec: WorkerSpec, stop: Int32Array, cut: AbortController): Promise<SessionParts> {
  const { limits, run, seed, time } = spec;
  return {
    ...{ limits, run, seed, time },
    variant: await loadVariant(spec.variant),
    policy: stoppable(await policyOf(spec.policy), stop, cut),
    toolset: toolsetNamed(spec.toolset),
    prompts: loadPrompts(spec.prompts),
    signal: cut.signal,
  };
}

/** Runs with one spec share a policy: its weights are loaded once, and its sessions are computed together. */
function policyOf(spec: PolicySpec): Promise<Policy> {
  const key = JSON.stringify(spec);
  return policies.get(key, () => {
    const policy = createPolicy(spec);
    // a server that was away may be there for the next run
    policy.catch(() => policies.remove(key));
    return policy;
  });
}

/** A thread that computes hears no message: it looks at the shared word before each reply instead. */
const stoppable = (policy: Policy, stop: Int32Array, cut: AbortController): Policy =>
  withSample(policy, (request) => {
    if (Atomics.load(stop, 0) === Stop.now) cut.abort();
    return policy.sample(request);
  });

export interface ThreadJob {
  readonly spec: WorkerSpec;
  readonly task: WorkerTask;
  readonly port: MessagePort;
}

/** Posts each record to `port`, then returns the envelope. */
export default async function runTask({ spec, task, port }: ThreadJob): Promise<TaskResult> {
  let records = 0;
  const deliver = (record: SessionRecord) => {
    records++;
    port.postMessage(record);
  };
  try {
    const { stop, cut, parts } = runOf(spec);
    const made = await parts;
    if (Atomics.load(stop, 0) === Stop.now) cut.abort();
    const source = sources.get(`${spec.key}/${task.context.id}`, () =>
      createSource(readSharedJson(task.context.chunks), { cache }),
    );
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
