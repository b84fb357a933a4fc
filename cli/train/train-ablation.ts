/** Runs that differ in one thing each, one after the other, in folders below one folder; gone on with where they stopped. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { UmaError } from "../../base/errors.ts";
import { makeFolder } from "../../base/make-folder.ts";
import { lastState } from "../../trainers/graph/checkpoints.ts";
import { ResolvedAblation } from "../../trainers/recipes/ablation-recipe.ts";
import type { Scale } from "../../trainers/recipes/recipe.ts";
import { trainingFiles } from "../../trainers/run/training-folder.ts";
import type { Surroundings } from "./surroundings.ts";
import { trainRl } from "./train-rl.ts";
import { type TrainingOutcome, trainingOutcome } from "./training-outcome.ts";

export interface PlannedAblation {
  readonly recipe: ResolvedAblation;
  readonly scale: Scale | null;
  readonly folder: string;
  readonly resume: boolean;
}

export interface AblationRun {
  readonly cell: string;
  readonly seed: number;
  readonly folder: string;
  readonly outcome: TrainingOutcome;
}

const ablationFile = (folder: string): string => join(folder, "ablation.json");

/** Null for a folder of something else. */
export function readAblation(folder: string): ResolvedAblation | null {
  const path = ablationFile(folder);
  if (!existsSync(path)) return null;
  const parsed = ResolvedAblation.safeParse((JSON.parse(readFileSync(path, "utf8")) as { recipe?: unknown }).recipe);
  if (parsed.success) return parsed.data;
  throw new UmaError("input", `${path} holds no ablation`, { fix: "begin a new folder with --out" });
}

/** Those that were begun. A run that a guard rail has halted is a result, and the others go on. */
export async function trainAblation(plan: PlannedAblation, around: Surroundings): Promise<AblationRun[]> {
  const { recipe, scale, folder } = plan;
  claim(plan);
  const runs: AblationRun[] = [];
  // seed by seed: a batch that is stopped early has every cell once
  for (const seed of recipe.seeds)
    for (const { name: cell, recipe: own } of recipe.cells) {
      if (around.interrupt.stopping()) return runs;
      const place = join(folder, `${cell}-seed-${seed}`);
      const resume = existsSync(trainingFiles.config(place));
      const done = resume ? await lastState(place) : null;
      if (done && (done.next === null || done.halted)) {
        runs.push({ cell, seed, folder: place, outcome: trainingOutcome(place, done) });
        continue;
      }
      around.terminal.note(`\n${cell}, seed ${seed}: ${place}`);
      const outcome = await trainRl({ recipe: own, scale, seed, folder: place, resume }, around);
      runs.push({ cell, seed, folder: place, outcome });
    }
  return runs;
}

function claim({ folder, recipe, resume }: PlannedAblation): void {
  const path = ablationFile(folder);
  if (!existsSync(path)) {
    makeFolder(folder, "choose a writable place with --out");
    writeFileSync(path, `${JSON.stringify({ v: 1, recipe }, null, 2)}\n`);
    return;
  }
  if (!resume)
    throw new UmaError("config", `${folder} holds runs already`, {
      fix: `go on with them by --resume ${folder}, or choose another folder with --out`,
    });
  if (!isDeepStrictEqual(readAblation(folder), JSON.parse(JSON.stringify(recipe))))
    throw new UmaError("config", `${folder} was begun with another recipe`, { fix: "begin a new folder with --out" });
}
