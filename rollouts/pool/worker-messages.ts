/** What main thread and workers say to each other: plain values, and buffers that both can read. */
import type { ErrorCode } from "../../base/errors.ts";
import type { VariantQuestion } from "../../graphs/variants/variant.ts";
import type { SessionLimits } from "../../nodes/session/limits.ts";
import type { PolicySpec } from "../../policies/policy.ts";
import type { TimeLimits } from "../time-limits.ts";

/** What all threads of a pool are started with. */
export interface ThreadData {
  /** The name of the BroadcastChannel on which a cut is told, by the run's key, to threads that wait for a server. */
  readonly channel: string;
}

/** Everything that a worker builds a run's policy, variant and sources from. */
export interface WorkerSpec {
  /** Tells runs apart that share threads. */
  readonly key: string;
  readonly policy: PolicySpec;
  /** As load-variant takes it. */
  readonly variant: string;
  /** By name. */
  readonly toolset: string;
  /** Name or folder. */
  readonly prompts: string;
  readonly limits: SessionLimits;
  readonly run: string;
  readonly seed: number;
  readonly time: TimeLimits;
  /** int32 [1]: one of `Stop`. */
  readonly stop: SharedArrayBuffer;
}

/** `afterSession` no more sessions of a span are begun · `now` running ones are cut short. */
export const Stop = { no: 0, afterSession: 1, now: 2 } as const;

/** A context's chunks as JSON text, in a buffer that every worker reads and none copies. */
export interface SharedContext {
  readonly id: string;
  readonly chunks: SharedArrayBuffer;
}

/** A memory, encoded once; a worker decodes it once per id. */
export interface SharedMemory {
  readonly id: number;
  readonly bytes: SharedArrayBuffer;
}

interface TaskPlace {
  readonly context: SharedContext;
  readonly trajectory: number;
  readonly parent: string | null;
  readonly memory: SharedMemory;
}

export interface MemoryTask extends TaskPlace {
  readonly kind: "memory";
  readonly from: number;
  readonly to: number;
  /** What the memory that results is called. */
  readonly result: number;
}

export interface AnswerTask extends TaskPlace {
  readonly kind: "answer";
  readonly question: VariantQuestion;
}

export type WorkerTask = MemoryTask | AnswerTask;

/** Errors lose their name and code on the way between threads, so they travel as values. */
export interface TaskFailure {
  /** Null for what is no UmaError. */
  readonly code: ErrorCode | null;
  readonly message: string;
  readonly fix: string | null;
}

export type TaskResult =
  | {
      readonly ok: true;
      /** How many records were posted before this. */
      readonly records: number;
      readonly reached: number;
      /** The memory after the last chunk; null for an answer. */
      readonly bytes: SharedArrayBuffer | null;
    }
  | { readonly ok: false; readonly records: number; readonly failure: TaskFailure };
