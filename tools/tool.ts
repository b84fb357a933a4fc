/**
 * What a tool is (UMA App. A): a name, a schema, the phases it may be called in, and a function from one world to the next.
 *
 * Tools are pure but for the `await` of retrieval. A tool never throws on what a model wrote: it returns an observation.
 */
import { z } from "zod";
import type { Bank, Version, Writer } from "../memory/bank.ts";
import type { Source } from "../retrieval/source.ts";
import type { Observation } from "./observation.ts";

/** In UTF-16 units. Longer ones belong into the content: a single one could push every other title out of a listing. */
export const LONGEST_TITLE = 1_000;

/** Phase I maintains the memory, phase II answers from it. */
export type Phase = "memory" | "qa";

/** All that a tool can see. A write gives a new world; the old one stays as it was. */
export interface World {
  readonly bank: Bank;
  /** The raw context, or null where the variant has none (`withoutRawContext`). */
  readonly source: Source | null;
  /** The last chunk that retrieval may show, 0-based: a memory built up to chunk k sees nothing later. */
  readonly upTo: number;
  /** Whom a write is attributed to. */
  readonly writer: Writer;
}

/** One thing that a call showed to the policy, by identity, never by title. */
export interface Read {
  readonly kind: "entry" | "sub-chunk";
  /** Entry id, or sub-chunk id. */
  readonly id: string;
  /** 1-based position in the result; 1 for exact-title access. */
  readonly rank: number;
  /** null where the access is not ranked. */
  readonly score: number | null;
  /** Sub-chunks only: where the text stands, for evidence recall. */
  readonly span?: { readonly chunk: number; readonly start: number; readonly end: number };
}

/** `miss`: well formed, but the title is not there or already taken. How each verdict counts in r_tool is the reward's business. */
export type ToolVerdict = "valid" | "miss";

export interface ToolOutcome {
  readonly verdict: ToolVerdict;
  readonly observation: Observation;
  readonly world: World;
  readonly writes: readonly Version[];
  /**
   * What `observation` shows. Ranked reads (those with a score) are its items, in order: the executor drops the ones that
   * a cut left out.
   */
  readonly reads: readonly Read[];
}

export interface Tool<Args = unknown> {
  readonly name: string;
  readonly description: string;
  readonly schema: z.ZodType<Args>;
  readonly phases: readonly Phase[];
  readonly kind: "read" | "write";
  /** True for tools that search the raw context: of no use where there is none. */
  readonly searchesContext?: boolean;
  run(world: World, args: Args, signal?: AbortSignal): ToolOutcome | Promise<ToolOutcome>;
}

/** Keeps the argument type while the tool is declared as a literal, then forgets it so that tools fit in one list. */
export const defineTool = <Args>(tool: Tool<Args>): Tool => tool as Tool;

/** A tool as providers want it. The JSON schema is made from the zod schema, without zod's own additions. */
export interface ToolDefinition {
  readonly type: "function";
  readonly function: {
    readonly name: string;
    readonly description: string;
    readonly parameters: Record<string, unknown>;
  };
}

export function toolDefinition(tool: Tool): ToolDefinition {
  const { $schema: _, additionalProperties: __, ...parameters } = z.toJSONSchema(tool.schema, { io: "input" });
  if (!("required" in parameters)) parameters.required = [];
  return { type: "function", function: { name: tool.name, description: tool.description, parameters } };
}
