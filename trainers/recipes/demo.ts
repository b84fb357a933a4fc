/**
 * The laptop run: the mixed-quality start of the embedded policy, trained on outcomes alone, on two processor cores (contract:
 * the RL demo).
 *
 * The setting makes shortcuts lose: categories come back on other dates, streams are long enough for a missing date range to
 * give a wrong sum, and every other session changes an earlier one.
 */
import type { RlFile } from "./recipe-file.ts";

const ledger = { profile: "micro", maxTransactions: 3, changes: 0.5 } as const;

/** What every recipe does at the scale of a laptop; each sets its own rule beside it. */
export const laptop = {
  model: "assets/cold-start",
  sampler: "in-process",
  data: [{ benchmark: "ledger-qa", config: { ...ledger, split: "train", horizon: 3 }, contexts: 3, generated: true }],
  evaluation: {
    data: [
      { benchmark: "ledger-qa", config: { ...ledger, split: "test", horizon: 3, seed: 20_260 }, contexts: 60, M: 6 },
    ],
    every: 20,
    greedy: true,
  },
  rollout: {
    G: 16,
    M: 6,
    toolset: "ledger",
    prompts: "micro",
    limits: { interactionTokens: 600, maxTurns: 8 },
  },
  // k3 is clamped: one improbable token of the reference can otherwise outweigh the rest of an update
  objective: {
    loss: "clipped",
    clip: { low: 0.2, high: 0.2, dual: null },
    kl: { kind: "k3", beta: 0.001, clamp: true },
    aggregation: "session-mean",
    tis: null,
  },
  adam: { learningRate: 1e-3, warmUp: 2, anneal: 0.5, beta2: 0.95 },
  minibatches: 2,
  updates: 40,
  saveEvery: 5,
} satisfies RlFile["fields"];

export const demo: RlFile = {
  kind: "rl",
  usual: "demo",
  fields: {
    summary: "Task-Stratified GRPO of the embedded policy from its mixed-quality start, on a laptop, in minutes",
    paper: "§2.3",
  },
  scales: { demo: laptop },
};
