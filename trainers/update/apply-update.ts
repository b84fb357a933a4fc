/**
 * One update of the learner (Eqs. 7–9): score, compile, ship, step. Nothing is published.
 *
 * Sessions without a signal never reach the learner, and those whose advantage is 0 only for their KL term. With `minibatches` the sessions are cut into so many parts by the seed,
 * and each takes a step of its own against the same π_θold, as PPO does.
 */
import { rng } from "../../base/rng.ts";
import type { Adam } from "../../learner/client/adam.ts";
import type { Stoppable, TrainedModel } from "../../learner/client/trained-model.ts";
import { type CompileOptions, compile, type Plan } from "../objective/compile.ts";
import { isPolicyGradient, klOf, type Objective } from "../objective/objective.ts";
import type { Profile } from "../objective/profile.ts";
import type { Totals } from "../objective/session-scale.ts";
import { countTrained, type TrainingSession } from "../objective/training-session.ts";
import { type ReferenceScores, scoreOld, scoreReference } from "./score-update.ts";
import { shipPlan } from "./ship-plan.ts";
import { type UpdateMetrics, updateMetrics } from "./update-metrics.ts";

export interface UpdateRequest extends Stoppable {
  readonly model: Pick<TrainedModel, "forward" | "forwardBackward" | "optimStep">;
  /** Needed by objectives with a KL term. */
  readonly reference?: ReferenceScores | null;
  readonly sessions: readonly TrainingSession[];
  readonly objective: Objective;
  readonly profile: Profile;
  readonly adam: Adam;
  /** Optimiser steps per update (default 1). */
  readonly minibatches?: number;
  readonly seed?: number;
  /**
   * Whose log-probabilities π_θold are when a ratio needs them: the learner's own (default), by a forward pass before the first
   * step, or the sampler's. Those save the pass where both compute alike, and weight samples of older weights.
   */
  readonly old?: "learner" | "sampler";
  /** Whether sessions with an advantage of 0 are sent for their KL term (default true). They count in S either way. */
  readonly shipZeroAdvantage?: boolean;
  /** Asked before each optimiser step, 0-based, with what it is about to be taken on; when it throws, the step is not taken. */
  readonly beforeStep?: (metrics: UpdateMetrics, step: number) => void;
  readonly compile?: Pick<CompileOptions, "mode" | "allowApproximate">;
}

export interface UpdateStep {
  /** Of the sessions that have a gradient. */
  readonly plan: Plan;
  /** Sessions that count and were not sent: their advantage is 0 and there is no KL term. */
  readonly zeroAdvantage: number;
  /** Null when there was nothing to ship, and no step was taken. */
  readonly metrics: UpdateMetrics | null;
  /** What the engine reported of the gradient pass and of the step. */
  readonly engine: Readonly<Record<string, number>>;
}

export async function applyUpdate(request: UpdateRequest): Promise<UpdateStep[]> {
  const { model, objective, profile, adam, minibatches = 1, seed = 0, signal, shipZeroAdvantage = true } = request;
  const stoppable: Stoppable = signal ? { signal } : {};
  const counted = request.sessions.filter(({ advantage }) => !isPolicyGradient(objective) || advantage !== null);
  const parts = partsOf(counted, minibatches, seed).map((sessions) => ({
    // sessions without a gradient are not sent, and still count in S and in the mean over tokens
    totals: totalsOf(sessions, objective),
    live: sessions.filter((session) => hasGradient(session, objective, shipZeroAdvantage)),
  }));
  const corrected = isPolicyGradient(objective) && objective.tis !== null;
  const needsOld = corrected || (parts.length > 1 && request.old !== "sampler");
  const scored = await score(
    parts.flatMap(({ live }) => live),
    { ...request, needsOld, stoppable },
  );

  const steps: UpdateStep[] = [];
  let from = 0;
  for (const [k, { totals, live }] of parts.entries()) {
    const sessions = scored.slice(from, from + live.length);
    from += live.length;
    const plan = compile(objective, sessions, profile, { ...request.compile, totals, firstStep: k === 0 });
    const shipped = await shipPlan(model, plan, stoppable);
    const zeroAdvantage = totals.sessions - live.length;
    if (shipped === null) {
      steps.push({ plan, zeroAdvantage, metrics: null, engine: {} });
      continue;
    }
    const metrics = updateMetrics(plan, shipped.logprobs);
    // a part without a gradient took none
    const taken = steps.filter(({ metrics: before }) => before !== null).length;
    if (metrics) request.beforeStep?.(metrics, taken);
    const step = await model.optimStep(adam, stoppable);
    steps.push({
      plan,
      zeroAdvantage,
      metrics,
      engine: { ...shipped.metrics, ...step.metrics },
    });
  }
  return steps;
}

async function score(
  sessions: readonly TrainingSession[],
  request: UpdateRequest & { readonly needsOld: boolean; readonly stoppable: Stoppable },
): Promise<readonly TrainingSession[]> {
  const { model, reference, objective, profile, needsOld, stoppable } = request;
  if (sessions.length === 0) return sessions;
  const old = needsOld ? await scoreOld(model, sessions, profile, stoppable) : sessions;
  return klOf(objective) !== null && reference ? scoreReference(reference, old, profile, stoppable) : old;
}

const hasGradient = (session: TrainingSession, objective: Objective, shipZeroAdvantage: boolean) =>
  !isPolicyGradient(objective) || session.advantage !== 0 || (shipZeroAdvantage && klOf(objective) !== null);

/** As the compiler counts them, over sessions with and without a gradient. */
function totalsOf(sessions: readonly TrainingSession[], objective: Objective): Totals {
  const trained = sessions.map(countTrained).filter((tokens) => tokens > 0);
  return {
    sessions: trained.length,
    tokens: trained.reduce((sum, tokens) => sum + tokens, 0),
    pairs: objective.loss === "dpo" ? trained.length / 2 : 0,
  };
}

function partsOf(sessions: readonly TrainingSession[], count: number, seed: number): TrainingSession[][] {
  if (count <= 1) return [[...sessions]];
  const shuffled = rng(seed, "minibatches").shuffle(sessions);
  const parts = Array.from({ length: count }, (_, k) => shuffled.filter((_session, at) => at % count === k));
  return parts.filter((part) => part.length > 0);
}
