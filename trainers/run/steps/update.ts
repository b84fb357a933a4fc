/**
 * The update itself (Eqs. 7–9): scores, gradient, optimiser steps, and every so often a saved state.
 *
 * All of it happens on a model that has had the updates before and no other, or is done again from the last saved state.
 */

import { seedOf } from "../../../base/rng.ts";
import { klOf } from "../../objective/objective.ts";
import { objectiveFrom } from "../../objective/objectives.ts";
import { applyUpdate, type UpdateStep } from "../../update/apply-update.ts";
import { adamAt } from "../adam-at.ts";
import type { TrainingDeps, TrainingStep } from "../deps.ts";
import { entropyGuard, GuardTripped, stepGuards } from "../guards.ts";
import { isComplete } from "../is-complete.ts";
import type { StepLine } from "../metrics-line.ts";
import { sampledUpdates, sessionsToTrain } from "../read-under-way.ts";
import { rewound } from "../rewound.ts";
import { type SavedState, type TrainingState, type UnderWay, weightsName } from "../state.ts";
import { timedModel, timedReference } from "../timed-model.ts";
import { Behind, type LiveModel } from "../training-learner.ts";

export const updateStep: TrainingStep = async (state, deps) => {
  const underWay = state.underWay!;
  const { update } = underWay;
  const done = { update, sampledTokens: state.sampledTokens + underWay.tokens.sampled };
  const saves = update % deps.recipe.saveEvery === 0 || isComplete(done, deps.recipe);
  let outcome: { readonly steps: readonly UpdateStep[]; readonly path: string | null };
  try {
    outcome = await deps.learner.use({ update: update - 1, saved: state.saved, after: update }, async (live) => ({
      steps: underWay.skipped === null ? await learn(underWay, live, deps) : [],
      path: saves
        ? await timedModel(live.model, deps.clock).saveState(otherName(state.saved), {
            overwrite: true,
            signal: deps.signal,
          })
        : null,
    }));
  } catch (thrown) {
    if (thrown instanceof GuardTripped) return { ...state, halted: thrown.halted };
    if (thrown instanceof Behind) return rewound(state, deps);
    throw thrown;
  }
  const steps = outcome.steps.flatMap((step) => stepLine(step, deps, update));
  const entropy = steps.length === 0 ? null : steps.reduce((sum, step) => sum + step.entropy, 0) / steps.length;
  const { counters, warnings, halted } = entropyGuard(entropy, state.guards, deps.recipe.guards);
  const line = {
    update,
    weights: weightsName(underWay.weights),
    staleness: update - 1 - underWay.weights.update,
    ...{ contexts: underWay.contexts, sessions: underWay.sessions, tokens: underWay.tokens },
    reward: underWay.reward!,
    outcome: underWay.outcome,
    validity: underWay.validity!,
    ...{ zeroAdvantage: underWay.zeroAdvantage, noAdvantage: underWay.noAdvantage, flatGroups: underWay.flatGroups },
    steps,
    samplerMismatch: outcome.steps.find(({ metrics }) => metrics)?.metrics?.samplerGap ?? null,
    skipped: underWay.skipped,
    warnings: [...underWay.warnings, ...warnings],
    habits: await deps.habitRates(
      (await sampledUpdates(underWay, deps)).map(({ run }) => ({ ...run, benchmark: run.config.benchmark })),
    ),
  };
  deps.lines.metrics.append(line);
  deps.tell({ kind: "metrics", line });
  deps.workspace.forget(update);
  const { weights, previous } = state;
  const saved =
    outcome.path === null ? state.saved : { ...done, path: outcome.path, weights, previous, guards: counters };
  return { ...state, ...done, saved, guards: counters, halted, next: "publish" };
};

async function learn(underWay: UnderWay, { model, reference }: LiveModel, deps: TrainingDeps): Promise<UpdateStep[]> {
  const { recipe, learner, seed, signal } = deps;
  const { update, weights } = underWay;
  const objective = objectiveFrom(recipe.objective);
  const staleness = update - 1 - weights.update;
  return applyUpdate({
    ...{ objective, signal, profile: learner.profile, minibatches: recipe.minibatches },
    model: timedModel(model, deps.clock),
    shipZeroAdvantage: recipe.shipZeroAdvantage,
    // older weights: the ratio to the sampler is what weights them, unless the objective does so itself (tis). In this process
    // the sampler computes as the learner does, to rounding
    old: staleness > 0 || recipe.sampler === "in-process" ? "sampler" : "learner",
    reference: klOf(objective) === null ? null : timedReference(await reference(), deps.clock),
    sessions: await sessionsToTrain(underWay, deps),
    adam: adamAt(update, recipe),
    seed: seedOf(seed, "minibatches", update),
    beforeStep(metrics, step) {
      const halted = stepGuards({ metrics, step, staleness }, recipe.guards);
      if (halted) throw new GuardTripped(halted);
    },
  });
}

function stepLine({ metrics, engine }: UpdateStep, { recipe }: TrainingDeps, update: number): StepLine[] {
  if (!metrics) return [];
  const { samplerGap: _gap, ...shown } = metrics;
  const gradNorm = engine.grad_norm ?? engine["grad_norm:mean"] ?? null;
  return [{ ...shown, gradNorm, learningRate: adamAt(update, recipe).learningRate }];
}

/** Two names in turn: while one is written, the other is whole. */
const otherName = (saved: TrainingState["saved"] | SavedState) =>
  saved?.path.endsWith("/state-a") ? "state-b" : "state-a";
