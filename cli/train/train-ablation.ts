/** Runs that differ in one thing each, one after the other, in folders below one folder; gone on with where they stopped. */
import { packageVersion } from "../../base/package-version.ts";
import { type AblationResult, runAblation } from "../../trainers/ablation/run-ablation.ts";
import type { ResolvedAblation } from "../../trainers/recipes/ablation-recipe.ts";
import type { Scale } from "../../trainers/recipes/recipe.ts";
import { isStop } from "../../trainers/run/stopped.ts";
import type { Surroundings } from "./surroundings.ts";
import { trainRl } from "./train-rl.ts";

export interface PlannedAblation {
  readonly recipe: ResolvedAblation;
  readonly scale: Scale | null;
  readonly folder: string;
  readonly resume: boolean;
}

/** A run that a guard rail has halted is a result too, and the others go on. One that was cut short ends with the tables too. */
export function trainAblation(plan: PlannedAblation, around: Surroundings): Promise<AblationResult> {
  const { recipe, scale, folder, resume } = plan;
  const { interrupt, terminal } = around;
  return runAblation({
    ...{ recipe, folder, resume, scale, umagraph: packageVersion() },
    stopping: interrupt.stopping,
    say: terminal.note,
    async train(run, how) {
      try {
        await trainRl({ recipe: run.recipe, scale, seed: run.seed, folder: run.folder, resume: how.resume }, around);
      } catch (thrown) {
        if (!isStop(thrown, interrupt.stopping)) throw thrown;
      }
    },
  });
}
