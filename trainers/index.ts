/**
 * `umagraph/trainers`: rewards, advantages and the objective as pure functions over records and typed arrays; training runs by
 * recipe, as a graph (`runTrainer`) or a plain loop (`runTraining`); habits and reports of such runs.
 */

export * from "../policies/token-trace.ts";
export { type AblationResult, type RunAblationOptions, runAblation } from "./ablation/run-ablation.ts";
export * from "./advantages/index.ts";
export * from "./batch/index.ts";
export * from "./credit/index.ts";
export { runTrainer, type TrainerOptions } from "./graph/run-trainer.ts";
export { createTrainerGraph } from "./graph/trainer.ts";
export type { TrainingHost } from "./graph/training-host.ts";
export { habits } from "./habits/catalog.ts";
export type { Habit } from "./habits/habit.ts";
export * from "./habits/habit-rates.ts";
export * from "./objective/batch-summary.ts";
export * from "./objective/clipped-objective.ts";
export * from "./objective/compile.ts";
export * from "./objective/objectives.ts";
export * from "./objective/profiles.ts";
export * from "./objective/scoring.ts";
export * from "./objective/training-session.ts";
export * from "./recipes/index.ts";
export { readTraining, type TrainingLog } from "./report/read-training.ts";
export * from "./report/write-training-report.ts";
export * from "./rewards/index.ts";
export type { TrainingEvent } from "./run/deps.ts";
export type { LearnerPlace } from "./run/learner-place.ts";
export type { EvaluationLine, MetricsLine, TimingLine } from "./run/metrics-line.ts";
export type { TrainingOptions } from "./run/open-training.ts";
export { runTraining, type TrainingEnd } from "./run/run-training.ts";
export { trainingFiles } from "./run/training-folder.ts";
export {
  type SupervisedResult,
  type SupervisedRunOptions,
  trainSupervisedRecipe,
} from "./sft/train-supervised-recipe.ts";
