/** A recipe of seconds: one context of two sessions, three trajectories, two questions. */
import { RlRecipe } from "../../../trainers/recipes/recipe.ts";

export function tinyRecipe(model: string, changes: Record<string, unknown> = {}): RlRecipe {
  const config = { profile: "micro", horizon: 2, maxTransactions: 2 };
  return RlRecipe.parse({
    kind: "rl",
    name: "tiny",
    summary: "a run of seconds",
    model,
    sampler: "in-process",
    data: [{ benchmark: "ledger-qa", config: { ...config, split: "train" }, contexts: 1, generated: true }],
    evaluation: {
      data: [{ benchmark: "ledger-qa", config: { ...config, split: "test", seed: 5 }, contexts: 2, M: 2 }],
      every: 3,
    },
    rollout: { G: 3, M: 2, toolset: "ledger", prompts: "micro", limits: { interactionTokens: 400, maxTurns: 6 } },
    objective: {
      loss: "clipped",
      clip: { low: 0.2, high: 0.2, dual: null },
      kl: { kind: "k3", beta: 0.001, clamp: true },
      aggregation: "session-mean",
      tis: null,
    },
    adam: { learningRate: 2e-4 },
    minibatches: 2,
    updates: 3,
    ...changes,
  });
}
