/** The record of a session whose thread died twice: an error like any other, so that its siblings and the arithmetic go on. */
import type { VariantQuestion } from "../../graphs/variants/variant.ts";
import { sessionId } from "../../nodes/session/identity.ts";
import { RECORD_VERSION, type SessionRecord, type Stage } from "../../nodes/session/record.ts";
import type { RolloutContext } from "../rollout-context.ts";
import type { WorkerSpec } from "./worker-messages.ts";

/** What such a record needs besides the spec. */
export interface CrashFacts {
  readonly spec: Pick<WorkerSpec, "limits" | "run" | "seed" | "toolset">;
  readonly variant: { readonly name: string };
  readonly policy: SessionRecord["policy"];
  /** Hash of the prompt templates. */
  readonly prompt: string;
}

export interface CrashedPlace {
  readonly context: RolloutContext;
  readonly trajectory: number;
  readonly parent: string | null;
  readonly stage: string;
  readonly position: number;
  readonly question?: VariantQuestion;
  /** The memory that the session started from. */
  readonly value: unknown;
}

export function crashedSession(facts: CrashFacts, place: CrashedPlace, said: string): SessionRecord {
  const { spec, policy, prompt, variant } = facts;
  const { limits, run, seed, toolset } = spec;
  const stage = place.stage as Stage;
  const question = place.question?.id ?? null;
  const { trajectory, parent, position } = place;
  const core = coreOf(place.value);
  const identity = { run, context: place.context.id, trajectory, question, parent, seed, attempt: 1 };
  return {
    v: RECORD_VERSION,
    id: sessionId({ identity, stage, position }),
    ...{ run, context: place.context.id, trajectory, stage, position, question, parent, seed, attempt: 1 },
    ...{ variant: variant.name, toolset, policy, prompt },
    budget: {
      prompt: limits.promptTokens,
      interaction: limits.interactionTokens,
      turns: limits.maxTurns,
      calls: limits.maxCalls,
    },
    truncated: { core: 0, focus: 0, context: 0 },
    ...{ messages: [], trace: null, calls: [], given: [] },
    core:
      stage === "memory" ? { before: core, after: core, committed: false, kept: "the session ended by error" } : null,
    ...{ answer: null, end: "error", cut: null, lastTurn: null },
    error: { boundary: "worker", code: "worker", message: `its worker thread died twice: ${said}` },
    turns: 0,
    tokens: { prompt: 0, completion: 0, interaction: 0, provider: null },
    started: new Date().toISOString(),
    ms: 0,
  };
}

/** A memory of the UMA kind has a core; others have none to show. */
const coreOf = (memory: unknown): string => {
  const { core } = (memory ?? {}) as { core?: unknown };
  return typeof core === "string" ? core : "";
};
