/** `umagraph/trainers`: rewards, advantages and the objective as pure functions over records and typed arrays; habits and reports of training runs. */

export * from "../policies/token-trace.ts";
export * from "./advantages/index.ts";
export * from "./batch/index.ts";
export * from "./credit/index.ts";
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
export * from "./report/write-training-report.ts";
export * from "./rewards/index.ts";
