/**
 * Clears the run's own checkpoint folder of states that were replaced and of weights that nobody samples with any more.
 *
 * Only what the state before this one did not need either: a crash goes back by one step.
 */
import { existsSync, readdirSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import type { TrainingDeps } from "./deps.ts";
import type { TrainingState } from "./state.ts";
import { checkpointFolder, ownsCheckpoints } from "./training-learner.ts";

export function clearCheckpoints(
  state: TrainingState,
  { folder, learner }: Pick<TrainingDeps, "folder" | "learner">,
): void {
  const root = learner.checkpoints;
  if (!ownsCheckpoints(folder, root)) return;
  const { weights, previous, saved, best } = state;
  // those of the update before `previous` may still sample ahead
  const kept = new Set(
    [weights.folder, previous?.folder, saved?.weights.folder, saved?.previous?.folder, best?.weights.folder]
      .concat(saved ? checkpointFolder(root, saved.path) : [])
      .flatMap((place) => (place ? resolve(place) : [])),
  );
  for (const run of foldersIn(root)) {
    for (const kind of ["weights", "sampler_weights"]) {
      for (const name of foldersIn(join(root, run, kind))) {
        const place = join(root, run, kind, name);
        if (kept.has(resolve(place))) continue;
        rmSync(place, { recursive: true, force: true });
        rmSync(`${place}.json`, { force: true });
      }
    }
  }
}

const foldersIn = (place: string): string[] =>
  existsSync(place)
    ? readdirSync(place, { withFileTypes: true }).flatMap((entry) =>
        entry.isDirectory() && !entry.name.startsWith(".") ? [entry.name] : [],
      )
    : [];
