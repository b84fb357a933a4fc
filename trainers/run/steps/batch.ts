/** Being written. */
import type { TrainingStep } from "../deps.ts";

export const batchStep: TrainingStep = async () => {
  throw new Error("batch: not built yet");
};
