/** `umagraph/rollouts`: nested sampling, on this thread or on a pool of them. */
export { createRolloutGraph, type RolloutGraphOptions } from "./graph/rollout.ts";
export type { ThreadDeath } from "./pool/pool-engine.ts";
export type { RolloutContext } from "./rollout-context.ts";
export { type SampleRolloutsOptions, sampleRollouts } from "./sample-rollouts.ts";
export type { TimeLimits } from "./time-limits.ts";
