/** What a training run at the command line has around it, whatever its kind. */
import { existsSync } from "node:fs";
import { messageOf, UmaError } from "../../base/errors.ts";
import { trainingFiles } from "../../trainers/run/training-folder.ts";
import type { Interrupt } from "../interrupt.ts";
import type { Terminal } from "../terminal.ts";
import type { TrainFlags } from "./train-flags.ts";
import type { TrainingWatch } from "./watch-training.ts";

export interface Surroundings {
  readonly flags: TrainFlags;
  readonly interrupt: Interrupt;
  readonly terminal: Terminal;
  /** Tells what is on the screen, so that a press of Ctrl-C is answered above it; null when it is gone. */
  readonly watched: (watch: Pick<TrainingWatch, "note"> | null) => void;
}

/** A full disk, a lost learner or a stop is nobody's mistake: the folder is as good as before. */
export function sayingHowToGoOn(thrown: unknown, folder: string): unknown {
  if (!(thrown instanceof UmaError) || thrown.code === "config") return thrown;
  const begun = existsSync(trainingFiles.config(folder));
  if (!begun && thrown.code !== "cancelled") return thrown;
  const goOn = begun
    ? `go on with: umagraph train --resume ${folder}`
    : "nothing was begun: the same command begins the run";
  return new UmaError(thrown.code, messageOf(thrown), {
    cause: thrown,
    fix: thrown.fix === undefined ? goOn : `${thrown.fix}; then ${goOn}`,
  });
}
