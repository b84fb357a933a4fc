/**
 * What runs single sessions, wherever that is: on this thread or in a worker of the pool. Both give the same records.
 *
 * A memory is passed as a handle: the engine's own name for an immutable value, so that branching a memory into M
 * questions, or keeping the one after chunk k, is passing the handle on.
 */
import type { VariantQuestion } from "../graphs/variants/variant.ts";
import type { SessionRecord } from "../nodes/session/record.ts";
import type { RolloutContext } from "./rollout-context.ts";

interface SessionJob<Handle> {
  readonly context: RolloutContext;
  /** i, 0-based. */
  readonly trajectory: number;
  readonly memory: Handle;
  /** The memory session that gave `memory`; null for the empty memory. */
  readonly parent: string | null;
}

export interface MemoryJob<Handle> extends SessionJob<Handle> {
  /** Chunks `from` to `to` (exclusive) are read, in order. */
  readonly from: number;
  readonly to: number;
}

export interface AnswerJob<Handle> extends SessionJob<Handle> {
  readonly question: VariantQuestion;
}

/** Takes each session's record as it ends. Resolves when the next session may start. */
export type DeliverRecord = (record: SessionRecord) => void | Promise<void>;

export interface MemoryResult<Handle> {
  readonly memory: Handle;
  /** The first chunk that was not read: `to`, unless the run was stopped in between. */
  readonly reached: number;
}

export interface SessionEngine<Handle = unknown> {
  /** Whether a trajectory gives its place up after each session, or keeps it until a question is asked. */
  readonly stride: "session" | "span";
  /** The empty memory. */
  begin(): Handle;
  /** The memory after recorded sessions, without running them. */
  replay(memory: Handle, records: readonly SessionRecord[]): Handle;
  /** A session that fails is a record with an error, and gives the same memory back. Rejects only for what is no session's fault. */
  memorize(job: MemoryJob<Handle>, deliver: DeliverRecord): Promise<MemoryResult<Handle>>;
  answer(job: AnswerJob<Handle>, deliver: DeliverRecord): Promise<void>;
  /** Everything of this context is done: what was kept for it can go. */
  release(context: RolloutContext): void;
  /** After the last session; never in the middle of one. */
  close(): Promise<void>;
}
