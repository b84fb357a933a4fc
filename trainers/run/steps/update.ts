/** Being written. */
import type { TrainingStep } from "../deps.ts";

export const updateStep: TrainingStep = async () => {
  throw new Error("update: not built yet");
};
