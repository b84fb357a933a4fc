/** Being written. */
import type { TrainingStep } from "../deps.ts";

export const advantageStep: TrainingStep = async () => {
  throw new Error("advantage: not built yet");
};
