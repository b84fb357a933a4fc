/** Opens a training run: a new folder or one to go on with, its lock, the learner, threads, data. */
import { join } from "node:path";
import { UmaError } from "../../base/errors.ts";
import { makeFolder } from "../../base/make-folder.ts";
import { takeProcessLock } from "../../base/process-lock.ts";
import { createEmbeddingCache } from "../../retrieval/embedding-cache.ts";
import { createSource } from "../../retrieval/source.ts";
import { openSamplingThreads } from "../../rollouts/pool/sampling-threads.ts";
import { habitRates } from "../habits/habit-rates.ts";
import { recipeFrom } from "../recipes/load-recipe.ts";
import { modelPlace } from "../recipes/model-place.ts";
import type { RlRecipe } from "../recipes/recipe.ts";
import { dataPlan } from "./data-plan.ts";
import type { HabitRatesOf, TrainingDeps, TrainingEvent } from "./deps.ts";
import type { LearnerPlace } from "./learner-place.ts";
import { lineLog } from "./line-log.ts";
import { createPrefetch } from "./prefetch.ts";
import { resumedState } from "./resumed-state.ts";
import type { TrainingState, Weights } from "./state.ts";
import {
  beginTraining,
  readTrainingConfig,
  refuseFolder,
  type TrainingConfig,
  writeConfig,
} from "./training-config.ts";
import { trainingFiles } from "./training-folder.ts";
import { type TrainingLearner, trainingLearner } from "./training-learner.ts";
import { weightsVersion } from "./weights-version.ts";
import { createWorkspace } from "./workspace.ts";

export interface TrainingOptions {
  readonly folder: string;
  readonly recipe: RlRecipe;
  readonly seed: number;
  /** As it was asked for; only kept in training.json. */
  readonly scale?: string | null;
  /** Version of this package. */
  readonly umagraph: string;
  readonly learner: LearnerPlace;
  /** Threads to sample on; 0, the default, for this one. */
  readonly pool?: number;
  /** Sessions under way at once; 64 by default. */
  readonly concurrency?: number;
  /** Goes on with the folder's run; without it a folder that holds one is refused. */
  readonly resume?: boolean;
  /** Instead of those of trainers/habits. */
  readonly habitRates?: HabitRatesOf;
  readonly stopping?: () => boolean;
  readonly signal?: AbortSignal;
  readonly tell?: (event: TrainingEvent) => void;
}

export interface Training {
  readonly deps: TrainingDeps;
  /** Of a new run. */
  readonly first: TrainingState;
  /** Brings a state that was kept together with what the folder and the learner hold, before the run goes on from it. */
  resumed(state: TrainingState): Promise<TrainingState>;
  /** Lets go of learner, threads and lock. */
  close(): Promise<void>;
}

/** Throws `config` for a recipe that cannot be run, a taken folder or one of another recipe; `conflict` while another process works on it. */
export async function openTraining(options: TrainingOptions): Promise<Training> {
  const { folder, seed, pool = 0, concurrency = 64, learner: place } = options;
  const recipe = await checkedRecipe(options.recipe);
  refuseFolder({ folder, recipe, seed, resume: options.resume });
  makeFolder(folder, "choose a writable place with --out");
  const lock = takeProcessLock(join(folder, "lock"), `training of ${folder}`);
  const closing = new AbortController();
  const signal = options.signal ? AbortSignal.any([options.signal, closing.signal]) : closing.signal;
  const tell = options.tell ?? (() => {});
  const learner = trainingLearner({ place, recipe, seed, signal, tell });
  const cache = createEmbeddingCache();
  const prefetch = createPrefetch(signal);
  const opened: { threads: TrainingDeps["threads"] } = { threads: null };
  const close = async () => {
    closing.abort();
    await prefetch.stop();
    await opened.threads?.close();
    await learner.close();
    cache.close();
    lock.release();
  };
  try {
    keepConfig(options, recipe);
    const data = await dataPlan(recipe, seed);
    const first = firstState(await firstWeights(recipe, learner));
    opened.threads = pool > 0 ? openSamplingThreads({ threads: pool, concurrency }) : null;
    const deps: TrainingDeps = {
      ...{ folder, recipe, seed, learner, concurrency, data, prefetch, first, signal, tell },
      umagraph: options.umagraph,
      threads: opened.threads,
      openSource: (chunks) => createSource(chunks, { cache }),
      habitRates: options.habitRates ?? habitRates,
      lines: {
        metrics: lineLog(trainingFiles.metrics(folder)),
        timing: lineLog(trainingFiles.timing(folder)),
        evaluations: lineLog(trainingFiles.evaluations(folder)),
      },
      workspace: createWorkspace(),
      clock: {},
      sampling: { seconds: null },
      stopping: () => (options.stopping?.() ?? false) || signal.aborted,
    };
    return { deps, first, resumed: (state) => resumedState(state, deps), close };
  } catch (thrown) {
    await close();
    throw thrown;
  }
}

async function checkedRecipe(given: RlRecipe): Promise<RlRecipe> {
  const recipe = await recipeFrom({ ...given }, { title: given.name });
  if (recipe.kind !== "rl")
    throw new UmaError("config", `${given.name}: expected a recipe of kind rl, got ${recipe.kind}`);
  if (recipe.sampler === "in-process" && recipe.loraRank !== null)
    throw new UmaError("config", `${recipe.name}: the embedded policy samples from whole models and knows no LoRA`, {
      fix: "set loraRank: null, which trains all parameters, or sampler: learner",
    });
  return recipe;
}

function keepConfig(
  { folder, seed, scale = null, umagraph, learner, resume }: TrainingOptions,
  recipe: RlRecipe,
): void {
  const { baseURL, checkpoints } = learner;
  const now: TrainingConfig = {
    ...{ v: 1, umagraph, created: new Date().toISOString(), scale, seed, recipe },
    learner: { baseURL, checkpoints },
  };
  if (resume) {
    const { created, scale: before } = readTrainingConfig(folder);
    writeConfig(folder, { ...now, created, scale: before });
  } else beginTraining(folder, now);
}

async function firstWeights({ sampler, model }: RlRecipe, learner: TrainingLearner): Promise<Weights> {
  if (sampler === "in-process") {
    const folder = modelPlace(model);
    return { update: 0, source: folder, version: await weightsVersion(folder), folder };
  }
  const name = await learner.baseModel();
  return { update: 0, source: name, version: name, folder: null };
}

const firstState = (weights: Weights): TrainingState => ({
  ...{ v: 1, update: 0, sampledTokens: 0, next: "evaluate", weights },
  ...{ saved: null, previous: null, underWay: null, best: null, evaluated: null, halted: null },
  guards: { validity: 0, entropy: 0, failing: 0 },
});
