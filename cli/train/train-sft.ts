/** One supervised run: the teacher's sessions, training at the learner, the finished policy, its scores. */
import { packageVersion } from "../../base/package-version.ts";
import type { Scale } from "../../trainers/recipes/recipe.ts";
import type { SftRecipe } from "../../trainers/recipes/sft-recipe.ts";
import { type SupervisedResult, trainSupervisedRecipe } from "../../trainers/sft/train-supervised-recipe.ts";
import { openLearner } from "./open-learner.ts";
import { reportLine } from "./supervised-lines.ts";
import { type Surroundings, sayingHowToGoOn } from "./surroundings.ts";

export interface PlannedSft {
  readonly recipe: SftRecipe;
  readonly scale: Scale | null;
  readonly folder: string;
  readonly resume: boolean;
}

/** A stop loses what came after the last checkpoint, and is done again when the run goes on. */
export async function trainSft(
  { recipe, scale, folder, resume }: PlannedSft,
  { flags, interrupt, terminal }: Surroundings,
): Promise<SupervisedResult> {
  const { signal } = interrupt;
  try {
    return await trainSupervisedRecipe({
      ...{ folder, recipe, scale, resume, signal, umagraph: packageVersion() },
      ...(flags.to !== undefined && { to: flags.to }),
      pool: flags.pool ?? 0,
      openLearner: (model) => openLearner({ folder, model, loraRank: null, flags, signal, say: terminal.note }),
      say: terminal.note,
      onReport: (report) => terminal.note(reportLine(report, recipe)),
    });
  } catch (thrown) {
    throw sayingHowToGoOn(thrown, folder);
  }
}
