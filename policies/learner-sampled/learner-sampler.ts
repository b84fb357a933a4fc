/** The learner's sampler (`asample`) as a token sampler: one set of published weights, one name for them. */
import { UmaError } from "../../base/errors.ts";
import type { Sampler } from "../../learner/index.ts";
import type { TokenSampler } from "../token-exact/token-sampler.ts";

export interface LearnerSamplerOptions {
  /** 1 by default. What is sampled at another temperature is not what the learner trains. */
  readonly temperature?: number | undefined;
  /** The model's context in tokens; null when the server does not say. */
  readonly maxContext?: number | null;
}

/** After each publish a new one; the client behind `sampler` does the retries. */
export function learnerSampler(
  sampler: Sampler,
  { temperature = 1, maxContext = null }: LearnerSamplerOptions = {},
): TokenSampler {
  return {
    weights: sampler.weightVersion,
    maxContext,
    async sample({ promptIds, maxTokens, seed, stopIds, signal }) {
      const [sample] = await sampler.sample({
        prompt: promptIds,
        maxTokens,
        temperature,
        topP: 1,
        topK: -1,
        seed,
        stop: stopIds,
        ...(signal && { signal }),
      });
      if (!sample) throw new UmaError("provider", "the learner sent no sample");
      const { tokens: ids, logprobs, stopReason: stop } = sample;
      return { ids, logprobs, stop, weights: sampler.weightVersion };
    },
  };
}
