/**
 * What a token-exact policy samples from: token ids in, token ids and their log-probabilities out.
 *
 * A sampler over a network and one in this process look the same. Its weights do not change: new weights are a new sampler.
 */
import { UmaError } from "../../base/errors.ts";

export interface TokenRequest {
  readonly promptIds: Int32Array;
  readonly maxTokens: number;
  readonly seed: number;
  /** Sampling ends with any of these ids, which is then the completion's last. */
  readonly stopIds: readonly number[];
  readonly signal?: AbortSignal;
}

export interface SampledTokens {
  readonly ids: Int32Array;
  /** log π of each id under the distribution it was drawn from, in nats. */
  readonly logprobs: Float32Array;
  /** `length`: it was cut at `maxTokens`, and no end token stands at its end. */
  readonly stop: "stop" | "length";
  /** Version of the weights that sampled it; null where there is only one. */
  readonly weights: string | null;
}

export interface TokenSampler {
  /** Version of its weights; null where there is only one. */
  readonly weights: string | null;
  /** Prompt and completion together, in tokens; null when it does not say. */
  readonly maxContext: number | null;
  /** Throws `UmaError("provider")` when nothing could be sampled. Trying again is the sampler's own business. */
  sample(request: TokenRequest): Promise<SampledTokens>;
}

/** Throws `provider` for what cannot be a sample; nothing is mended, since a wrong log-probability would be trained on. */
export function checkSampled(sampled: SampledTokens, name: string): void {
  const { ids, logprobs } = sampled;
  const wrong = (what: string) =>
    new UmaError("provider", `${name}: the sampler gave ${what}`, {
      fix: "check that the server samples with the model and tokenizer that this policy was made for",
    });
  if (logprobs.length !== ids.length) throw wrong(`${ids.length} tokens and ${logprobs.length} log-probabilities`);
  const stray = ids.findIndex((id) => id < 0);
  if (stray >= 0) throw wrong(`the token id ${ids[stray]}`);
  const bad = logprobs.findIndex((value) => !(Number.isFinite(value) && value <= ROUNDING));
  if (bad >= 0) throw wrong(`the log-probability ${logprobs[bad]} for token ${bad} of a completion, expected one ≤ 0`);
}

/** Half-precision samplers report a certain token as slightly more than certain. */
const ROUNDING = 1e-2;
