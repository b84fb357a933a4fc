/** Being written. */
import type { TrainingStep } from "../deps.ts";

export const collectStep: TrainingStep = async () => {
  throw new Error("collect: not built yet");
};
