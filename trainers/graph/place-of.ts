/** Where the run of a thread stands. */
import { UmaError } from "../../base/errors.ts";
import type { TrainingState } from "../run/state.ts";
import type { Trainer } from "./state.ts";

/** Throws `conflict` before the run is opened. */
export function placeOf({ training }: Pick<Trainer, "training">): TrainingState {
  if (training !== null) return training;
  throw new UmaError("conflict", "this thread has no training run yet", { fix: "begin it with an input" });
}
