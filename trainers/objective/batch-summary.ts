/** What a plan ships, in numbers a person can check: counts per stratum, tokens, zero advantages, padding, null reasons. */
import type { Stage } from "../../nodes/session/record.ts";
import type { Plan } from "./compile.ts";
import type { TrainingSession } from "./training-session.ts";

export interface BatchSummary {
  readonly strata: Readonly<Record<Stage, StratumSummary>>;
  readonly datums: number;
  /** Sequences beyond one per shipped session: how often a prompt did not continue the last one. */
  readonly brokenPrefixes: number;
  readonly tokens: { readonly shipped: number; readonly trained: number };
  /** Share of sessions in the loss whose advantage is exactly 0; null without sessions. */
  readonly zeroAdvantageShare: number | null;
  /** Share of positions that would be padding if every datum were as long as the longest; null without datums. */
  readonly paddingWaste: number | null;
  /** Sessions that left the loss, by reason. */
  readonly left: Readonly<Record<string, number>>;
}

export interface StratumSummary {
  readonly sessions: number;
  readonly withSignal: number;
  readonly shipped: number;
  readonly trainedTokens: number;
}

/** `sessions` are those the plan was compiled from. */
export function summarizeBatch(sessions: readonly TrainingSession[], plan: Plan): BatchSummary {
  const lengths = plan.terms.flatMap(({ session }) => session.parts.map(({ ids }) => ids.length));
  const shipped = lengths.reduce((sum, length) => sum + length, 0);
  const longest = lengths.reduce((max, length) => Math.max(max, length), 0);
  const withSignal = sessions.filter(({ advantage }) => advantage !== null);
  return {
    strata: { memory: stratum("memory", sessions, plan), qa: stratum("qa", sessions, plan) },
    datums: lengths.length,
    brokenPrefixes: lengths.length - plan.terms.length,
    tokens: { shipped, trained: plan.terms.reduce((sum, { trained }) => sum + trained, 0) },
    zeroAdvantageShare:
      withSignal.length === 0 ? null : withSignal.filter(({ advantage }) => advantage === 0).length / withSignal.length,
    paddingWaste: lengths.length === 0 ? null : 1 - shipped / (lengths.length * longest),
    left: plan.left,
  };
}

function stratum(stage: Stage, sessions: readonly TrainingSession[], plan: Plan): StratumSummary {
  const own = sessions.filter((session) => session.stage === stage);
  const terms = plan.terms.filter(({ session }) => session.stage === stage);
  return {
    sessions: own.length,
    withSignal: own.filter(({ advantage }) => advantage !== null).length,
    shipped: terms.length,
    trainedTokens: terms.reduce((sum, { trained }) => sum + trained, 0),
  };
}
