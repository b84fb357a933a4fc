/**
 * The contract of a variant: one method of keeping a memory and answering from it (contracts §7).
 *
 * Every method the paper compares fits: a memory is a value of the variant's own type, `memorize` makes the next one from
 * a chunk, `answer` reads it. What leaves a session is its record, through `env.record`; nothing else is shared.
 * Methods that read the stream with the question in hand (`questionHidden: false`) keep the chunks in `memorize` and do
 * their reading inside `answer`, one record per inner step, so that cost is counted where it falls.
 */
import type { z } from "zod";
import type { Codec } from "../../memory/codec.ts";
import type { Prompts } from "../../nodes/prompts/prompts.ts";
import type { SessionLimits } from "../../nodes/session/limits.ts";
import type { SessionRecord } from "../../nodes/session/record.ts";
import type { Policy } from "../../policies/policy.ts";
import type { Source } from "../../retrieval/source.ts";
import type { Toolset } from "../../tools/toolsets.ts";
import type { AgentPhases } from "../agent.ts";
import type { GraphDeps } from "../graph-deps.ts";

/** What one trajectory runs with. */
export interface VariantEnv {
  readonly policy: Policy;
  /** The context; shared by every trajectory and question. */
  readonly source: Source;
  readonly toolset: Toolset;
  readonly prompts: Prompts;
  readonly limits: SessionLimits;
  readonly run: string;
  readonly context: string;
  /** i, 0-based. */
  readonly trajectory: number;
  readonly seed: number;
  /** Id of the memory session whose memory this session starts from; null or absent for the empty memory. */
  readonly parent?: string | null;
  readonly signal?: AbortSignal;
  readonly record: (record: SessionRecord) => void;
}

export interface VariantQuestion {
  readonly id: string;
  readonly text: string;
  /** 0-based: the last chunk that is in memory. Nothing later may be shown. */
  readonly position: number;
}

export interface Variant<Memory = unknown> {
  readonly name: string;
  /** The row of the paper's tables, e.g. "UMA" or "RAG (k = 20)". */
  readonly paper: string;
  readonly description: string;
  /** True when the memory is built before any question is known. */
  readonly questionHidden: boolean;
  readonly codec: Codec<Memory>;
  begin(): Memory;
  /** Reads chunk `k` of `env.source`. Never changes `memory`; a session that fails gives the same memory back. */
  memorize(memory: Memory, k: number, env: VariantEnv): Promise<Memory>;
  /** Whether `memorize` runs sessions at all; progress counts on it. */
  readonly keepsMemory: boolean;
  /** The memory after a recorded session of `memorize`, from the record alone; resuming and reports fold it. */
  replay(memory: Memory, record: SessionRecord): Memory;
  /** Null when the session gave no acceptable answer; the record says why. */
  answer(memory: Memory, question: VariantQuestion, env: VariantEnv): Promise<string | null>;
  /** The same two phases for Studio, built from the same steps. */
  phases(deps: GraphDeps): AgentPhases;
}

/** A named variant with its options; load-variant.ts finds them by name. */
export interface VariantFactory<Params = unknown> {
  readonly name: string;
  readonly params: z.ZodType<Params>;
  create(params: Params): Variant;
}

/** Forgets the types of memory and options so that variants fit in one map; each factory parses its own options. */
export const defineVariant = <Memory, Params>(factory: {
  name: string;
  params: z.ZodType<Params>;
  create(params: Params): Variant<Memory>;
}): VariantFactory => factory as unknown as VariantFactory;
