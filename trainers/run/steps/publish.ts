/** Being written. */
import type { TrainingStep } from "../deps.ts";

export const publishStep: TrainingStep = async () => {
  throw new Error("publish: not built yet");
};
