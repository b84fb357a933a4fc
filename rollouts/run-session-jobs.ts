/** The sessions of a variant on this thread: what the main-thread engine does, and each worker of the pool. */
import type { Variant, VariantEnv, VariantQuestion } from "../graphs/variants/variant.ts";
import type { Prompts } from "../nodes/prompts/prompts.ts";
import type { SessionLimits } from "../nodes/session/limits.ts";
import type { SessionRecord } from "../nodes/session/record.ts";
import type { Policy } from "../policies/policy.ts";
import type { Source } from "../retrieval/source.ts";
import type { Toolset } from "../tools/toolsets.ts";
import { memorySessionId } from "./rollout-context.ts";
import type { DeliverRecord, MemoryResult } from "./session-engine.ts";
import { type TimeLimits, withTimeLimits } from "./time-limits.ts";

/** What every session of a run is made with. */
export interface SessionParts<Memory = unknown> {
  readonly variant: Variant<Memory>;
  readonly policy: Policy;
  readonly toolset: Toolset;
  readonly prompts: Prompts;
  readonly limits: SessionLimits;
  readonly run: string;
  readonly seed: number;
  readonly time: TimeLimits;
  readonly signal: AbortSignal;
}

/** Where a session stands. */
export interface SessionPlace {
  readonly context: string;
  readonly trajectory: number;
  readonly parent: string | null;
  readonly source: Source;
}

/** Stops before a chunk when `stopping` says so, and after a session that was cut short. */
export async function memorizeChunks<Memory>(
  parts: SessionParts<Memory>,
  place: SessionPlace,
  before: Memory,
  span: { readonly from: number; readonly to: number; readonly stopping?: () => boolean },
  deliver: DeliverRecord,
): Promise<MemoryResult<Memory>> {
  let memory = before;
  let { parent } = place;
  for (let k = span.from; k < span.to; k++) {
    if (parts.signal.aborted || (k > span.from && span.stopping?.())) return { memory, reached: k };
    const records: SessionRecord[] = [];
    const after = await parts.variant.memorize(memory, k, environment(parts, { ...place, parent }, records));
    if (records.some(({ end }) => end === "cancelled")) return { memory, reached: k };
    memory = after;
    if (records.length > 0) parent = memorySessionId(place.context, place.trajectory, k);
    for (const record of records) await deliver(record);
  }
  return { memory, reached: span.to };
}

export async function answerQuestion<Memory>(
  parts: SessionParts<Memory>,
  place: SessionPlace,
  memory: Memory,
  question: VariantQuestion,
  deliver: DeliverRecord,
): Promise<void> {
  const records: SessionRecord[] = [];
  await parts.variant.answer(memory, question, environment(parts, place, records));
  // all of a question's sessions or none: a resumed run asks it again
  if (records.some(({ end }) => end === "cancelled")) return;
  for (const record of records) await deliver(record);
}

function environment(parts: SessionParts, place: SessionPlace, records: SessionRecord[]): VariantEnv {
  const { toolset, prompts, limits, run, seed, signal } = parts;
  return {
    policy: withTimeLimits(parts.policy, parts.time),
    ...{ toolset, prompts, limits, run, seed, signal },
    ...place,
    record: (record) => records.push(record),
  };
}
