/**
 * Threads that sessions are run on, of one run or of many: starting one costs a second of a core, and a training run has
 * hundreds of rollouts.
 */
import { randomUUID } from "node:crypto";
import { BroadcastChannel } from "node:worker_threads";
import type { Piscina } from "piscina";
import { UmaError } from "../../base/errors.ts";
import { startPool } from "./start-pool.ts";
import type { ThreadData } from "./worker-messages.ts";

export interface SamplingThreads {
  readonly threads: number;
  readonly data: ThreadData;
  readonly pool: Piscina;
  /** Cuts the running sessions of one run short, also those that wait for a server. */
  cut(run: string): void;
  /** After the last session. */
  close(): Promise<void>;
}

export interface SamplingThreadsOptions {
  readonly threads: number;
  /** Sessions in flight over all threads and runs. */
  readonly concurrency: number;
}

/** Throws `config` for less than one thread. */
export function openSamplingThreads({ threads, concurrency }: SamplingThreadsOptions): SamplingThreads {
  if (!Number.isInteger(threads) || threads < 1)
    throw new UmaError("config", `expected at least one thread, got ${threads}`);
  const data: ThreadData = { channel: `umagraph-${randomUUID()}` };
  const channel = new BroadcastChannel(data.channel);
  channel.unref();
  const pool = startPool(data, { threads, perThread: Math.max(1, Math.ceil(concurrency / threads)) });
  return {
    threads,
    data,
    pool,
    cut: (run) => channel.postMessage(run),
    async close() {
      await pool.close();
      channel.close();
    },
  };
}
