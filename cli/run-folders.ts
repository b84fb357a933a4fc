/** Which run folders a path means: itself, or the cells of a batch below it. */
import { existsSync, readdirSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { UmaError } from "../base/errors.ts";
import { isTrainingFolder } from "../trainers/diff/compare-trainings.ts";
import { holdsRun, isModelFolder } from "./holds-run.ts";
import { runsInTraining } from "./runs-in-training.ts";

/** Throws `input` for what holds no run, and for a training run, which holds many: it names them. */
export function runFoldersIn(path: string): string[] {
  if (!existsSync(path) || !statSync(path).isDirectory()) {
    throw new UmaError("input", `there is no folder ${path}`, {
      fix: "give a folder that `umagraph eval` or `umagraph rollout` has written, e.g. runs/…",
    });
  }
  if (isTrainingFolder(path)) throw runsInTraining(path);
  if (isModelFolder(path)) {
    throw new UmaError("input", `${path} is a model (a Hugging Face folder), and holds no run`, {
      fix: "give a run folder; what the policy of a training run did is under the training's evaluations/",
    });
  }
  if (holdsRun(path)) return [path];
  const cells = readdirSync(path)
    .sort()
    .map((name) => join(path, name))
    .filter(holdsRun);
  if (cells.length > 0) return cells;
  if (isTrainingFolder(dirname(resolve(path)))) throw runsInTraining(path);
  throw new UmaError("input", `${path} holds no run: neither it nor a folder in it has a config.json`, {
    fix: "give a folder that `umagraph eval` or `umagraph rollout` has written",
  });
}
