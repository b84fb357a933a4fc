/** Advantages: from rewards to how much each session counts (UMA §2.3.3). */
import type { Estimator } from "./estimator.ts";
import { globalGroup } from "./global-group.ts";
import { grpo } from "./grpo.ts";
import { taskStratified } from "./task-stratified.ts";
import { twoStage } from "./two-stage.ts";

export * from "./assign-credit.ts";
export * from "./credit-rule.ts";
export * from "./estimator.ts";
export * from "./lift-estimator.ts";
export * from "./schedule.ts";
export * from "./standardize.ts";

/** By name, as configs and the command line write them. */
export const estimators = {
  "task-stratified": taskStratified,
  "global-group": globalGroup,
  "two-stage": twoStage,
  grpo,
} as const satisfies Record<string, Estimator>;

export type EstimatorName = keyof typeof estimators;
