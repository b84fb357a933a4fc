/** The paper's ablations of the training rule, at the size of a laptop: one change a cell, three seeds, equal sampled tokens (UMA §4.4). */
import type { AblationFile } from "./recipe-file.ts";

const withoutKl = {
  loss: "clipped",
  clip: { low: 0.2, high: 0.2, dual: null },
  kl: null,
  aggregation: "session-mean",
  tis: null,
};

export const ablation: AblationFile = {
  kind: "ablation",
  usual: "demo",
  fields: {
    summary: "Task-stratified against global-group, two-stage, λ = 0, no KL and the published code's options",
    paper: "§4.4, Table 1",
    base: "demo",
    seeds: [1, 2, 3],
    // the budget of sampled tokens ends every run, after about 26 updates; a rate that falls would fall at another token in each
    overrides: { updates: 120, "evaluation.every": 120, "data.0.contexts": 2, "adam.anneal": 0 },
    cells: [
      { name: "task-stratified", summary: "Eqs. 3–9 as they stand" },
      {
        name: "global-group",
        summary: "one advantage group for all sessions of a context",
        overrides: { "credit.estimator": "global-group" },
      },
      {
        name: "two-stage",
        summary: "memory for the first half, answering for the second",
        overrides: { credit: { estimator: "two-stage", schedule: { kind: "two-stage", memoryUpdates: 13 } } },
      },
      {
        name: "lambda-0",
        summary: "outcomes alone: tool validity is not rewarded",
        overrides: { "credit.rewards.lambda": 0 },
      },
      { name: "without-kl", summary: "no pull towards the start", overrides: { objective: withoutKl } },
      {
        name: "uma-code",
        summary: "rewards, deviation, aggregation and clip of the published code",
        overrides: { "credit.profile": "uma-code", objective: "uma-code" },
      },
    ],
  },
  scales: { demo: { sampledTokens: 200_000 } },
};
