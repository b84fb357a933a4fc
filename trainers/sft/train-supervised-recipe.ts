/**
 * A supervised recipe from beginning to end: the teacher's sessions, an initial model, training at a learner, the finished
 * policy as a folder, its scores. Each part that is done stays done, so a run can be stopped anywhere and gone on with.
 *
 *     training.json   the recipe, written before any work
 *     *.jsonl         the teacher's sessions
 *     initial/        the model that training begins with, which the learner serves
 *     checkpoints/    of the learner, when it is ours
 *     state.json      how far training is, and the learner's state to go on from
 *     metrics.jsonl   one line per report
 *     policy/         the policy, 16-bit, as a Hugging Face folder
 *     scores/         run folders of its evaluation; scores.json sums them up
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { UmaError } from "../../base/errors.ts";
import { makeFolder } from "../../base/make-folder.ts";
import { takeProcessLock } from "../../base/process-lock.ts";
import type { LearnerClientOptions } from "../../learner/index.ts";
import type { TrainedSessions } from "../../policies/embedded/trained-sessions.ts";
import { modelPlace, refuseMissingModel } from "../recipes/model-place.ts";
import { SftRecipe } from "../recipes/sft-recipe.ts";
import { type ExportedPolicy, exportPolicy } from "./export-policy.ts";
import { initialModelFolder, preparePolicy } from "./prepare-policy.ts";
import { publishedFolder } from "./published-folder.ts";
import { type PolicyScore, scorePolicy } from "./score-policy.ts";
import { trainPolicy } from "./train-policy.ts";
import type { SupervisedReport } from "./train-supervised.ts";

/** A learner that serves the initial model, for as long as training lasts. */
export interface SupervisedLearner {
  readonly place: Pick<LearnerClientOptions, "baseURL" | "apiKey" | "profile"> & {
    /** Its checkpoint folder when it is on this machine; null elsewhere, and then nothing can be exported. */
    readonly checkpoints: string | null;
  };
  close(): Promise<void>;
}

export interface SupervisedRunOptions {
  readonly folder: string;
  readonly recipe: SftRecipe;
  /** Called when there is something to train, with the model folder that it has to serve. */
  readonly openLearner: (model: string) => Promise<SupervisedLearner>;
  /** Where the finished policy is also put, e.g. assets/embedded-policy; its README stays. */
  readonly to?: string;
  /** Goes on with the folder's run; without it a folder that holds one is refused. */
  readonly resume?: boolean;
  readonly umagraph: string;
  /** As it was asked for; only kept in training.json. */
  readonly scale?: string | null;
  /** Threads to score on (default 0: this one). Scores do not depend on it. */
  readonly pool?: number;
  readonly say?: (line: string) => void;
  readonly onReport?: (report: SupervisedReport) => void;
  readonly signal?: AbortSignal;
}

export interface SupervisedResult {
  readonly folder: string;
  /** The learner's path of the finished weights. */
  readonly published: string;
  /** Null when the weights are with a learner elsewhere. */
  readonly policy: (ExportedPolicy & { readonly folder: string }) | null;
  /** Of the last step; null when training had been complete before. */
  readonly report: SupervisedReport | null;
  readonly scores: readonly PolicyScore[];
}

const files = {
  config: "training.json",
  policy: "policy",
  scores: "scores.json",
  published: "published.json",
} as const;

/** Throws `config` for a folder of another recipe, `conflict` while another process works on it, and what learner and disk throw. */
export async function trainSupervisedRecipe(options: SupervisedRunOptions): Promise<SupervisedResult> {
  const { folder, recipe } = options;
  // before anything is made: a start that is not there would leave a folder that cannot be gone on with
  if (recipe.start !== null) refuseMissingModel(recipe.start, "start");
  makeFolder(folder, "choose a writable place with --out");
  const lock = takeProcessLock(join(folder, "lock"), `training in ${folder}`);
  try {
    claim(options);
    return await run(options);
  } finally {
    lock.release();
  }
}

async function run(options: SupervisedRunOptions): Promise<SupervisedResult> {
  const { folder, recipe, to, umagraph, pool = 0, say = () => {}, onReport, signal } = options;
  const start = recipe.start === null ? {} : { start: modelPlace(recipe.start) };
  await preparePolicy(folder, recipe, { ...start, say, ...(signal && { signal }) });
  let report: SupervisedReport | null = null;
  const trained =
    readPublished(folder) ??
    (await train(options, (line) => {
      report = line;
      onReport?.(line);
    }));
  const place = join(folder, files.policy);
  if (trained.folder === null) {
    say(`the weights are with the learner: ${trained.path}`);
    return { folder, published: trained.path, policy: null, report, scores: [] };
  }
  const sessions = sessionsOf(recipe);
  const policy = { ...exportPolicy(trained.folder, place, sessions), folder: to ?? place };
  if (to !== undefined) exportPolicy(trained.folder, to, sessions);
  say(`${policy.parameters} parameters, ${policy.bytes} bytes of weights: ${policy.folder}`);
  const scores = recipe.scoring
    ? await scorePolicy({
        ...{ folder, policy: place, umagraph, pool, say },
        scoring: recipe.scoring,
        ...(signal && { signal }),
      })
    : [];
  writeFileSync(join(folder, files.scores), `${JSON.stringify(scores, null, 2)}\n`);
  return { folder, published: trained.path, policy, report, scores };
}

/** The policy is scored in sessions like those of its teacher. */
function sessionsOf({ scoring }: SftRecipe): TrainedSessions | undefined {
  if (!scoring) return undefined;
  const { toolset, prompts, limits } = scoring.sessions;
  return { toolset, prompts, ...(limits.maxTurns !== undefined && { maxTurns: limits.maxTurns }) };
}

interface Published {
  readonly path: string;
  /** Null with a learner elsewhere. */
  readonly folder: string | null;
}

async function train(options: SupervisedRunOptions, onReport: (report: SupervisedReport) => void): Promise<Published> {
  const { folder, recipe, openLearner, say, signal } = options;
  const learner = await openLearner(initialModelFolder(folder));
  try {
    const { checkpoints, ...place } = learner.place;
    const path = await trainPolicy({
      ...{ folder, recipe, onReport, learner: place },
      ...(say && { say }),
      ...(signal && { signal }),
    });
    const published = { path, folder: checkpoints === null ? null : publishedFolder(checkpoints, path) };
    writeFileSync(join(folder, files.published), `${JSON.stringify(published)}\n`);
    return published;
  } finally {
    await learner.close();
  }
}

/** Of a run whose training is complete. Weights that are not there any more are published again. */
function readPublished(folder: string): Published | null {
  const path = join(folder, files.published);
  if (!existsSync(path)) return null;
  const published = JSON.parse(readFileSync(path, "utf8")) as Published;
  return published.folder !== null && !existsSync(published.folder) ? null : published;
}

const plain = (recipe: SftRecipe): unknown => JSON.parse(JSON.stringify(recipe));

/** Makes the folder this recipe's, or finds that it is. */
function claim({ folder, recipe, resume = false, umagraph, scale = null }: SupervisedRunOptions): void {
  const path = join(folder, files.config);
  if (!existsSync(path)) {
    if (resume)
      throw new UmaError("input", `${folder} holds no training run: there is no training.json in it`, {
        fix: "leave --resume out to begin one",
      });
    const config = { v: 1, umagraph, scale, seed: recipe.seed, recipe };
    writeFileSync(path, `${JSON.stringify(config, null, 2)}\n`);
    return;
  }
  if (!resume)
    throw new UmaError("config", `${folder} holds a training run already`, {
      fix: `go on with it by --resume ${folder}, or choose another folder with --out`,
    });
  const begun = JSON.parse(readFileSync(path, "utf8")) as { readonly recipe: SftRecipe };
  // by its defaults of today: a field that is new since then does not make it another
  const known = SftRecipe.safeParse(begun.recipe);
  if (isDeepStrictEqual(plain(known.data ?? begun.recipe), plain(recipe))) return;
  throw new UmaError(
    "config",
    `${folder} was begun with another recipe (${begun.recipe.name}, or other numbers of it)`,
    {
      fix: "resume it with the recipe in its training.json, or begin a new folder",
    },
  );
}
