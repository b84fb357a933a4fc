/** The policy that samples with some weights: the embedded one from their folder, or the learner's sampler by their name. */
import type { PolicySpec } from "../../policies/policy.ts";
import type { TrainingDeps } from "./deps.ts";
import type { Weights } from "./state.ts";

/** Sampled at 1, which is what the objective assumes; greedy at 0. */
export function policyOf(
  { source }: Weights,
  temperature: 0 | 1,
  { recipe, learner }: Pick<TrainingDeps, "recipe" | "learner">,
): PolicySpec {
  if (recipe.sampler === "in-process") return { policy: "embedded", model: source, temperature };
  const { baseURL, apiKey } = learner.address();
  return { policy: "learner", baseURL, model: source, temperature, ...(apiKey !== undefined && { apiKey }) };
}
