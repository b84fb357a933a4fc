/** Samples an update's sessions: G trajectories per context, M questions each (UMA §2.3.1), or takes what was sampled ahead. */
import { join } from "node:path";
import { seedOf } from "../../../base/rng.ts";
import type { TrainingDeps, TrainingStep } from "../deps.ts";
import { samplingHalt } from "../guards.ts";
import { sampledUpdates } from "../read-under-way.ts";
import { type SampledFolders, sampleInto } from "../sample-into.ts";
import type { UnderWay, Weights } from "../state.ts";
import { trainingFiles } from "../training-folder.ts";

export const collectStep: TrainingStep = async (state, deps) => {
  const update = state.update + 1;
  const { async: ahead, updates } = deps.recipe;
  // always those of one update before, and never whatever is there: a run must not depend on who was quicker
  const weights = ahead === 1 && state.previous ? state.previous : state.weights;
  const sampled =
    (await deps.prefetch.take(update)) ?? (await collectUpdate(update, weights, deps, { signal: deps.signal }));
  deps.sampling.seconds = sampled.seconds;
  if (sampled.gaveUp) return { ...state, halted: samplingHalt(sampled.gaveUp.why, sampled.gaveUp.lastFailure) };
  if (ahead === 1 && update < updates) {
    const next = state.weights;
    deps.prefetch.begin(update + 1, (signal) => collectUpdate(update + 1, next, deps, { signal, ahead: true }));
  }
  return { ...state, underWay: await underWayOf(update, sampled, deps), next: "reward" };
};

export async function collectUpdate(
  update: number,
  weights: Weights,
  deps: TrainingDeps,
  { signal, ahead = false }: { readonly signal: AbortSignal; readonly ahead?: boolean },
): Promise<SampledFolders> {
  const { folder, recipe, seed } = deps;
  const { G, M } = recipe.rollout;
  const folderOf = (source: string) => trainingFiles.update(folder, update, source);
  return sampleInto(
    {
      ...{ update, weights, folderOf, G, M, signal },
      what: ahead ? "prefetch" : "collect",
      sources: await deps.data.training(update),
      mark: join(folderOf("."), "sampling.json"),
      temperature: 1,
      seed: seedOf(seed, "update", update),
      maxFailedShare: recipe.guards.maxFailedShare,
    },
    deps,
  );
}

async function underWayOf(update: number, { weights, folders }: SampledFolders, deps: TrainingDeps): Promise<UnderWay> {
  const sampled = await sampledUpdates({ update, folders: [...folders] }, deps);
  const records = sampled.flatMap(({ run }) => run.records);
  const of = (stage: string) => records.filter((record) => record.stage === stage).length;
  return {
    ...{ update, weights, folders: [...folders] },
    contexts: sampled.reduce((sum, { contexts }) => sum + contexts.length, 0),
    sessions: { memory: of("memory"), qa: of("qa"), failed: records.filter(({ error }) => error).length },
    tokens: {
      sampled: records.reduce((sum, { tokens }) => sum + tokens.completion, 0),
      prompt: records.reduce((sum, { tokens }) => sum + (tokens.provider?.prompt ?? tokens.prompt), 0),
    },
    ...{ reward: null, outcome: null, validity: null, zeroAdvantage: 0, noAdvantage: 0, flatGroups: null },
    ...{ skipped: null, warnings: [] },
  };
}
