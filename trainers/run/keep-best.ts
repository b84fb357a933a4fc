/**
 * The best checkpoint by held-out score, as a folder of its own: with all parameters trained, what any Hugging Face tool
 * loads; with a LoRA, the adapter alone, in PEFT's layout, to be loaded onto the model that training started from.
 *
 * Weights that lie on the learner's machine only stay there under their name; `best/best.json` says it in every case.
 */
import { cpSync, existsSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { messageOf, UmaError } from "../../base/errors.ts";
import { makeFolder } from "../../base/make-folder.ts";
import { writeWhole } from "../../evals/run-folder.ts";
import type { TrainingDeps } from "./deps.ts";
import { type Best, weightsName } from "./state.ts";
import { trainingFiles } from "./training-folder.ts";

/** What was just evaluated where it is better, else what was best; a tie stays with the earlier. */
export function bestOf(
  best: Best | null,
  evaluated: Omit<Best, "score"> & { readonly score: number | null },
): Best | null {
  const { score } = evaluated;
  if (score === null) return best;
  // evaluated again after a crash: the copy may not be whole
  const again = best?.update === evaluated.update;
  return best === null || again || score > best.score ? { ...evaluated, score } : best;
}

/** Whole or not at all. Throws `store` when the disk says no. */
export function keepBest(
  { update, score, weights }: Best,
  { folder, recipe }: Pick<TrainingDeps, "folder" | "recipe">,
): void {
  const place = trainingFiles.best(folder);
  const fresh = `${place}.new`;
  try {
    rmSync(fresh, { recursive: true, force: true });
    const copied = weights.folder !== null && existsSync(weights.folder);
    if (copied) cpSync(weights.folder!, fresh, { recursive: true });
    else makeFolder(fresh, "choose a writable place with --out");
    const holds = !copied
      ? "nothing: the weights are with the learner"
      : recipe.loraRank === null || update === 0
        ? "a whole model"
        : "a LoRA adapter";
    const about = {
      weights: weightsName(weights),
      update,
      score,
      holds,
      base: recipe.model,
      ...(!copied && { learner: weights.source }),
    };
    writeWhole(join(fresh, "best.json"), `${JSON.stringify(about, null, 2)}\n`);
    rmSync(place, { recursive: true, force: true });
    renameSync(fresh, place);
  } catch (cause) {
    rmSync(fresh, { recursive: true, force: true });
    throw new UmaError("store", `cannot keep the best weights in ${place}: ${messageOf(cause)}`, {
      fix: "free some space and go on with --resume",
      cause,
    });
  }
}
