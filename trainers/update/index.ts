/** One update of the learner, from sessions with advantages to a step. */
export * from "./apply-update.ts";
export * from "./score-update.ts";
export * from "./ship-plan.ts";
export * from "./update-metrics.ts";
