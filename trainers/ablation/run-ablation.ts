/**
 * Runs an ablation cell by cell, seed by seed; after each the table and the figure say what there is by then.
 *
 *     training.json    the recipe, with every cell resolved
 *     <cell>--s<seed>/ a training run
 *     ablation.md      the tables
 *     ablation.svg     the figure
 *     ablation.json    the same as data
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { UmaError } from "../../base/errors.ts";
import { makeFolder } from "../../base/make-folder.ts";
import { ResolvedAblation } from "../recipes/ablation-recipe.ts";
import { readTraining } from "../report/read-training.ts";
import { trainingFiles } from "../run/training-folder.ts";
import { ablationFigure } from "./ablation-figure.ts";
import { type AblationRun, ablationRuns } from "./ablation-runs.ts";
import { ablationTable } from "./ablation-table.ts";
import { habitsTable } from "./habits-table.ts";
import { type AblationSummary, summariseAblation } from "./summarise-ablation.ts";

export interface RunAblationOptions {
  readonly recipe: ResolvedAblation;
  readonly folder: string;
  readonly resume?: boolean;
  readonly umagraph: string;
  readonly scale?: string | null;
  /** Trains one run in its folder to its end, or as far as it gets. `resume`: the folder holds a part of it already. */
  readonly train: (run: AblationRun, options: { readonly resume: boolean }) => Promise<void>;
  /** Asked before each run. */
  readonly stopping?: () => boolean;
  readonly say?: (line: string) => void;
}

export interface AblationResult {
  readonly folder: string;
  readonly complete: boolean;
  readonly sampled: AblationSummary;
  /** Null when nothing was evaluated with the most probable tokens. */
  readonly greedy: AblationSummary | null;
}

/** Throws what training a run throws, and `config` for a folder of another ablation. */
export async function runAblation(options: RunAblationOptions): Promise<AblationResult> {
  const { recipe, folder, train, stopping = () => false, say = () => {} } = options;
  makeFolder(folder, "choose a writable place with --out");
  claim(options);
  const runs = ablationRuns(recipe, folder);
  for (const [at, run] of runs.entries()) {
    if (stopping()) break;
    if (isComplete(run)) continue;
    say(`run ${at + 1} of ${runs.length}: ${run.cell}, seed ${run.seed}`);
    await train(run, { resume: existsSync(trainingFiles.config(run.folder)) });
    writeTables(folder, runs);
  }
  return { folder, complete: runs.every(isComplete), ...writeTables(folder, runs) };
}

/** Its last update has been evaluated, and no other is to come. */
function isComplete({ folder, recipe }: AblationRun): boolean {
  if (!existsSync(trainingFiles.config(folder))) return false;
  const { metrics, evaluations } = readTraining(folder);
  const last = metrics.at(-1);
  if (!last || evaluations.at(-1)?.update !== last.update) return false;
  const sampled = metrics.reduce((sum, { tokens }) => sum + tokens.sampled, 0);
  return last.update >= recipe.updates || (recipe.sampledTokens !== null && sampled >= recipe.sampledTokens);
}

function writeTables(folder: string, runs: readonly AblationRun[]) {
  const sampled = summariseAblation(runs, "sampled")!;
  const greedy = summariseAblation(runs, "greedy");
  const tables = [...[sampled, ...(greedy ? [greedy] : [])].map(ablationTable), habitsTable(sampled)];
  writeFileSync(join(folder, "ablation.md"), tables.filter((table) => table !== "").join("\n"));
  writeFileSync(join(folder, "ablation.svg"), `${ablationFigure(sampled)}\n`);
  writeFileSync(join(folder, "ablation.json"), `${JSON.stringify({ sampled, greedy }, null, 2)}\n`);
  return { sampled, greedy };
}

const plain = (recipe: ResolvedAblation): unknown => JSON.parse(JSON.stringify(recipe));

function claim({ folder, recipe, resume = false, umagraph, scale = null }: RunAblationOptions): void {
  const path = trainingFiles.config(folder);
  if (!existsSync(path)) {
    if (resume)
      throw new UmaError("input", `${folder} holds no ablation: there is no training.json in it`, {
        fix: "leave --resume out to begin one",
      });
    writeFileSync(path, `${JSON.stringify({ v: 1, umagraph, scale, seed: recipe.seeds[0], recipe }, null, 2)}\n`);
    return;
  }
  if (!resume)
    throw new UmaError("config", `${folder} holds a training run already`, {
      fix: `go on with it by --resume ${folder}, or choose another folder with --out`,
    });
  const begun = JSON.parse(readFileSync(path, "utf8")) as { readonly recipe: ResolvedAblation };
  // by its defaults of today: a field that is new since then does not make it another
  const known = ResolvedAblation.safeParse(begun.recipe);
  if (!isDeepStrictEqual(plain(known.data ?? begun.recipe), plain(recipe)))
    throw new UmaError(
      "config",
      `${folder} was begun with another recipe (${begun.recipe.name}, or other numbers of it)`,
      {
        fix: "resume it with the recipe in its training.json, or begin a new folder",
      },
    );
}
