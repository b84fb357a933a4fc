/** Being written. */
import type { TrainingStep } from "../deps.ts";

export const evaluateStep: TrainingStep = async () => {
  throw new Error("evaluate: not built yet");
};
