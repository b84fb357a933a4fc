/** What a run would ship to the learner. */
export * from "./batch-sessions.ts";
export * from "./plan-batch.ts";
export * from "./write-batch.ts";
