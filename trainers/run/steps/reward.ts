/** Being written. */
import type { TrainingStep } from "../deps.ts";

export const rewardStep: TrainingStep = async () => {
  throw new Error("reward: not built yet");
};
