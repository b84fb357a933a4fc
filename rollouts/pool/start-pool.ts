/** Starts the threads: compiled code where there is some, TypeScript through its loader where not. */
import { extname } from "node:path";
import { Piscina } from "piscina";
import type { ThreadData } from "./worker-messages.ts";

export interface PoolSize {
  readonly threads: number;
  /** How many sessions one thread carries: many when they wait for a server, one when they compute. */
  readonly perThread: number;
}

export function startPool(data: ThreadData, { threads, perThread }: PoolSize): Piscina {
  const first = extname(import.meta.url) === ".ts" ? "./boot.mjs" : "./worker.js";
  return new Piscina({
    filename: new URL(first, import.meta.url).href,
    minThreads: threads,
    maxThreads: threads,
    concurrentTasksPerWorker: perThread,
    idleTimeout: Number.POSITIVE_INFINITY,
    workerData: data,
    // a worker inherits the flags of its process, and those of a test runner or a loader do not suit it
    execArgv: [],
    recordTiming: false,
  });
}
