/** Scores the new weights on the held-out contexts when it is their turn, keeps the best, and says whether the run goes on. */
import { join } from "node:path";
import { seedOf } from "../../../base/rng.ts";
import { clusterBootstrap } from "../../../evals/statistics/cluster-bootstrap.ts";
import type { SampledUpdate } from "../../credit/read-update.ts";
import { readUpdate } from "../../credit/read-update.ts";
import { rewardOptions } from "../../rewards/reward-options.ts";
import { toolValidity } from "../../rewards/tool-validity.ts";
import type { PlannedSource } from "../data-plan.ts";
import type { TrainingDeps, TrainingStep } from "../deps.ts";
import { samplingHalt } from "../guards.ts";
import { isComplete } from "../is-complete.ts";
import { bestOf, keepBest } from "../keep-best.ts";
import type { Estimate, EvaluationLine } from "../metrics-line.ts";
import { type SampledFolders, sampleInto } from "../sample-into.ts";
import { type TrainingState, weightsName } from "../state.ts";
import { trainingFiles } from "../training-folder.ts";

export const evaluateStep: TrainingStep = async (state, deps) => {
  const { recipe } = deps;
  const complete = isComplete(state, recipe);
  const next = complete ? null : ("collect" as const);
  if (!(complete || state.update % recipe.evaluation.every === 0)) return { ...state, next };
  const sampled = await held(state, "sampled", deps);
  const greedy = recipe.evaluation.greedy ? await held(state, "greedy", deps) : null;
  const gaveUp = sampled.gaveUp ?? greedy?.gaveUp;
  if (gaveUp) return { ...state, halted: samplingHalt(gaveUp.why, gaveUp.lastFailure) };
  const line = await lineOf(state, sampled, greedy, deps);
  deps.lines.evaluations.append(line);
  deps.tell({ kind: "evaluation", line });
  const best = bestOf(state.best, { update: state.update, score: line.sampled.mean, weights: state.weights });
  if (best && best !== state.best) keepBest(best, deps);
  return { ...state, best, evaluated: state.update, next };
};

function held(state: TrainingState, kind: "sampled" | "greedy", deps: TrainingDeps): Promise<SampledFolders> {
  const { folder, seed, data } = deps;
  const { update, weights } = state;
  const folderOf = (source: string) => trainingFiles.evaluation(folder, update, kind, source);
  return sampleInto(
    {
      ...{ update, weights, folderOf, what: kind },
      sources: data.heldOut,
      mark: join(folder, "evaluations", String(update).padStart(4, "0"), `${kind}.json`),
      temperature: kind === "sampled" ? 1 : 0,
      ...{ G: 1, M: null },
      // the same questions and the same draws each time: what changes is the weights
      seed: seedOf(seed, "evaluation"),
      maxFailedShare: 1,
      signal: deps.signal,
    },
    deps,
  );
}

async function lineOf(
  { update, weights }: TrainingState,
  sampled: SampledFolders,
  greedy: SampledFolders | null,
  deps: TrainingDeps,
): Promise<EvaluationLine> {
  const read = ({ folders }: SampledFolders) =>
    Promise.all(folders.map((folder) => readUpdate(join(deps.folder, folder))));
  const drawn = await read(sampled);
  const { profile, rewards } = deps.recipe.credit;
  const counted = rewardOptions({ profile, ...rewards, outcome: "any", dataSource: "any" });
  const valid = drawn.flatMap(({ run }) => run.records.flatMap((record) => toolValidity(record, counted) ?? []));
  return {
    update,
    weights: weightsName(weights),
    sampled: estimate(drawn, deps),
    greedy: greedy && estimate(await read(greedy), deps),
    // sorted, because a floating-point sum depends on its order
    validity: valid.length === 0 ? null : valid.sort((a, b) => a - b).reduce((sum, one) => sum + one, 0) / valid.length,
    habits: await deps.habitRates(drawn.map(({ run }) => ({ ...run, benchmark: run.config.benchmark }))),
    folders: { sampled: [...sampled.folders], greedy: [...(greedy?.folders ?? [])] },
  };
}

/** Over all questions of all sources, each counted once. */
function estimate(read: readonly SampledUpdate[], { data, seed }: TrainingDeps): Estimate {
  const values = read.flatMap((one, at) => outcomeValues(one, data.heldOut[at]!));
  const { mean, low, high, n, clusters } = clusterBootstrap(values, { seed });
  return { mean, low, high, n, contexts: clusters };
}

function outcomeValues({ scores }: SampledUpdate, { name, source, benchmark }: PlannedSource) {
  // the published code's outcome is a reward and no metric of a benchmark
  const metric = source.outcome === undefined || source.outcome === "uma-code" ? benchmark.headline : source.outcome;
  return scores.flatMap(({ context, metrics }) => {
    const value = metrics[metric] ?? null;
    return value === null ? [] : [{ cluster: `${name}/${context}`, value }];
  });
}
