/** The runs of an ablation: every cell with every seed, each a training run of its own in a folder of its own. */
import { join } from "node:path";
import type { ResolvedAblation } from "../recipes/ablation-recipe.ts";
import type { RlRecipe } from "../recipes/recipe.ts";

export interface AblationRun {
  readonly cell: string;
  readonly summary: string;
  readonly seed: number;
  readonly folder: string;
  readonly recipe: RlRecipe;
}

/** Seed by seed, so that what is done when the time is over compares all cells. */
export function ablationRuns({ cells, seeds }: ResolvedAblation, out: string): AblationRun[] {
  return seeds.flatMap((seed) =>
    cells.map(({ name, summary, recipe }) => ({
      ...{ cell: name, summary, seed, recipe },
      folder: join(out, `${name}--s${seed}`),
    })),
  );
}
