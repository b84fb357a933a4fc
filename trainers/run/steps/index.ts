/** The steps of an update, by name: what the trainer's graph has as nodes and the plain loop calls. */
import type { TrainingStep } from "../deps.ts";
import type { StepName } from "../state.ts";
import { advantageStep } from "./advantage.ts";
import { batchStep } from "./batch.ts";
import { collectStep } from "./collect.ts";
import { evaluateStep } from "./evaluate.ts";
import { publishStep } from "./publish.ts";
import { rewardStep } from "./reward.ts";
import { updateStep } from "./update.ts";

export const trainingSteps: Readonly<Record<StepName, TrainingStep>> = {
  collect: collectStep,
  reward: rewardStep,
  advantage: advantageStep,
  batch: batchStep,
  update: updateStep,
  publish: publishStep,
  evaluate: evaluateStep,
};
