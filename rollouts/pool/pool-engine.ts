/**
 * Sessions on a pool of threads (decisions §8). Handles are memories in shared buffers: branching one copies nothing.
 *
 * A thread that dies takes only what was running in it: those sessions are run again once, alone in a thread of their own,
 * so that none dies of another's fault; the one that dies again is recorded as failed.
 */
import { randomUUID } from "node:crypto";
import { MessageChannel } from "node:worker_threads";
import type { Piscina } from "piscina";
import { messageOf, UmaError } from "../../base/errors.ts";
import type { Variant } from "../../graphs/variants/variant.ts";
import type { SessionRecord } from "../../nodes/session/record.ts";
import type { Halt } from "../halt.ts";
import { answerSessionId, memorySessionId, type RolloutContext } from "../rollout-context.ts";
import type { AnswerJob, DeliverRecord, MemoryJob, SessionEngine } from "../session-engine.ts";
import { type CrashFacts, crashedSession } from "./crashed-session.ts";
import { openInbox } from "./inbox.ts";
import { openSamplingThreads, type SamplingThreads } from "./sampling-threads.ts";
import { shareBytes, shareJson } from "./shared-bytes.ts";
import { startPool } from "./start-pool.ts";
import {
  type SharedContext,
  type SharedMemory,
  Stop,
  type TaskFailure,
  type TaskResult,
  type WorkerSpec,
  type WorkerTask,
} from "./worker-messages.ts";

export interface PoolEngineOptions extends CrashFacts {
  readonly spec: Omit<WorkerSpec, "key" | "stop">;
  /** The same variant, for its codec and for replaying records. */
  readonly variant: Variant;
  /** How many to start for this run, or those of a pool that outlives it. */
  readonly threads: number | SamplingThreads;
  /** Sessions in flight over all threads. */
  readonly concurrency: number;
  readonly halt: Halt;
  /** Told when a thread died, with what it said. */
  readonly onDeath?: (death: ThreadDeath) => void;
}

export interface ThreadDeath {
  readonly session: string;
  readonly message: string;
  /** False when it was the second time, and the session is recorded as failed. */
  readonly again: boolean;
}

/** A memory that may exist here, in a shared buffer, or both; each is made from the other when it is first needed. */
export interface PoolMemory {
  readonly id: number;
  value?: unknown;
  bytes?: SharedArrayBuffer;
}

/** Over all runs of this process: they may share threads. */
let nextId = 1;

export function poolEngine(options: PoolEngineOptions): SessionEngine<PoolMemory> {
  const { variant, concurrency, halt } = options;
  const own =
    typeof options.threads === "number" ? openSamplingThreads({ threads: options.threads, concurrency }) : null;
  const threads = own ?? (options.threads as SamplingThreads);
  const stop = new SharedArrayBuffer(4);
  const flag = new Int32Array(stop);
  const spec: WorkerSpec = { ...options.spec, key: randomUUID(), stop };
  let alone: Piscina | null = null;
  let turn: Promise<unknown> = Promise.resolve();
  const contexts = new Map<string, SharedContext>();

  const cutShort = () => {
    Atomics.store(flag, 0, Stop.now);
    threads.cut(spec.key);
  };
  if (halt.signal.aborted) cutShort();
  else halt.signal.addEventListener("abort", cutShort, { once: true });

  const memoryOf = (value: unknown): PoolMemory => ({ id: nextId++, value });
  const shared = (memory: PoolMemory): SharedMemory => {
    memory.bytes ??= shareBytes(variant.codec.encode(memory.value));
    return { id: memory.id, bytes: memory.bytes };
  };
  const decoded = (memory: PoolMemory): unknown => {
    if (!("value" in memory)) memory.value = variant.codec.decode(new Uint8Array(memory.bytes!).slice());
    return memory.value;
  };
  const sharedContext = ({ id, chunks }: RolloutContext): SharedContext => {
    const known = contexts.get(id) ?? { id, chunks: shareJson(chunks) };
    contexts.set(id, known);
    return known;
  };

  /** Rejects with `ThreadDied` when the thread did; every record that it posted before has been delivered by then. */
  const runOn = async (on: Piscina, task: WorkerTask, deliver: DeliverRecord): Promise<TaskResult & { ok: true }> => {
    if (halt.stopping()) Atomics.compareExchange(flag, 0, Stop.no, Stop.afterSession);
    const { port1, port2 } = new MessageChannel();
    const inbox = openInbox(port1, deliver);
    let result: TaskResult;
    try {
      result = await on.run({ spec, task, port: port2 }, { transferList: [port2] });
    } catch (thrown) {
      await inbox.closed();
      throw new ThreadDied(messageOf(thrown));
    }
    await inbox.received(result.records);
    if (!result.ok) throw errorOf(result.failure);
    return result;
  };
  const run = (task: WorkerTask, deliver: DeliverRecord) => runOn(threads.pool, task, deliver);

  /** In a thread that nothing else runs in, one task after the other. */
  const runAlone = (task: WorkerTask, deliver: DeliverRecord) => {
    alone ??= startPool(threads.data, { threads: 1, perThread: 1 });
    const quiet = alone;
    const mine = turn.then(() => runOn(quiet, task, deliver));
    turn = mine.catch(() => {});
    return mine;
  };

  const taskOf = (job: MemoryJob<PoolMemory> | AnswerJob<PoolMemory>) => ({
    context: sharedContext(job.context),
    trajectory: job.trajectory,
    parent: job.parent,
    memory: shared(job.memory),
  });

  return {
    stride: "span",
    begin: () => memoryOf(variant.begin()),
    replay: (memory, records) =>
      records.length === 0 ? memory : memoryOf(records.reduce(variant.replay, decoded(memory))),

    async memorize(job, deliver) {
      let at = { memory: job.memory, from: job.from, parent: job.parent };
      const pass = (record: SessionRecord) => {
        const memory = memoryOf(variant.replay(decoded(at.memory), record));
        at = { memory, from: record.position + 1, parent: record.id };
      };
      /** The chunk in whose session a thread has died. */
      let diedAt: number | null = null;
      while (at.from < job.to) {
        const result = nextId++;
        const task: WorkerTask = { kind: "memory", ...taskOf({ ...job, ...at }), from: at.from, to: job.to, result };
        const ended: SessionRecord[] = [];
        try {
          const done = await (diedAt === null ? run : runAlone)(task, (record) => {
            ended.push(record);
            return deliver(record);
          });
          return { memory: { id: result, bytes: done.bytes! }, reached: done.reached };
        } catch (thrown) {
          if (!(thrown instanceof ThreadDied)) throw thrown;
          ended.forEach(pass);
          if (at.from === job.to) break;
          const again = diedAt !== at.from;
          const session = memorySessionId(job.context.id, job.trajectory, at.from);
          options.onDeath?.({ session, message: thrown.message, again });
          if (halt.signal.aborted) return { memory: at.memory, reached: at.from };
          diedAt = at.from;
          if (again) continue;
          if (!variant.keepsMemory) throw thrown;
          const before = { ...job, value: decoded(at.memory), parent: at.parent, stage: "memory", position: at.from };
          const record = crashedSession(options, before, thrown.message);
          await deliver(record);
          pass(record);
          diedAt = null;
        }
      }
      return { memory: at.memory, reached: job.to };
    },

    async answer(job, deliver) {
      const task: WorkerTask = { kind: "answer", ...taskOf(job), question: job.question };
      const session = answerSessionId(job.context.id, job.trajectory, job.question.id);
      let ended = false;
      const deliverOnce: DeliverRecord = (record) => {
        ended = true;
        return deliver(record);
      };
      for (const again of [true, false]) {
        try {
          await (again ? run : runAlone)(task, deliverOnce);
          return;
        } catch (thrown) {
          if (!(thrown instanceof ThreadDied)) throw thrown;
          // the thread may die of a sibling after the session's record left it
          if (ended) return;
          options.onDeath?.({ session, message: thrown.message, again });
          if (halt.signal.aborted) return;
          if (again) continue;
          const before = { ...job, value: decoded(job.memory), stage: "qa", position: job.question.position };
          await deliver(crashedSession(options, before, thrown.message));
        }
      }
    },

    release: ({ id }) => void contexts.delete(id),
    async close() {
      halt.signal.removeEventListener("abort", cutShort);
      await Promise.all([own?.close(), alone?.close()]);
    },
  };
}

class ThreadDied extends Error {}

const errorOf = ({ code, message, fix }: TaskFailure) =>
  code === null ? new Error(message) : new UmaError(code, message, fix === null ? {} : { fix });
