/** How the server behaves: right by default, and each way of being wrong that the doctor has to find. */
import type { AdamParams } from "./bigram-model.ts";
import type { ClipConvention } from "./token-losses.ts";

export interface Behaviour {
  readonly vocabulary: number;
  readonly dialects: readonly ("proto" | "json")[];
  /** `mean-hidden`: reports a sum and descends a mean. */
  readonly reduction: "sum" | "mean" | "mean-hidden";
  /** False: each forward_backward clears the gradient of the one before. */
  readonly accumulates: boolean;
  /** What happens to negative cross-entropy weights. */
  readonly negativeWeights: "kept" | "absolute" | "zero";
  readonly clip: ClipConvention;
  /** False: a repeated call is executed again. */
  readonly idempotent: boolean;
  /** False: calls are executed as they arrive. */
  readonly ordered: boolean;
  /** Temperature the sampler's log-probabilities are computed with; 1 is right. */
  readonly samplerTemperature: number;
  /** Temperature the learner's are computed with. */
  readonly learnerTemperature: number;
  /** False: a published sampler keeps giving the base model. */
  readonly publishes: boolean;
  readonly honoured: readonly (keyof AdamParams)[];
  /** Tensors beside the known ones are refused. */
  readonly refusesUnknownTensors: boolean;
  readonly fullFineTuning: boolean;
  /** Longest a poll is held. */
  readonly pollMs: number;
  /** How long each call takes. */
  readonly workMs: number;
  /** Results above so many bytes are announced by their size first, where the client asks for it. */
  readonly announceAbove: number;
  readonly reportsGradNorm: boolean;
  /** Extra members of client/config. */
  readonly flags: Readonly<Record<string, unknown>>;
  readonly apiKey: string | null;
}

export const faithful: Behaviour = {
  vocabulary: 24,
  dialects: ["proto", "json"],
  reduction: "sum",
  accumulates: true,
  negativeWeights: "kept",
  clip: { unit: "ratio", defaults: { low: 0.8, high: 1.2 } },
  idempotent: true,
  ordered: true,
  samplerTemperature: 1,
  learnerTemperature: 1,
  publishes: true,
  honoured: ["learning_rate", "beta1", "beta2", "eps", "weight_decay", "grad_clip_norm"],
  refusesUnknownTensors: true,
  fullFineTuning: true,
  pollMs: 60,
  workMs: 0,
  announceAbove: Number.POSITIVE_INFINITY,
  reportsGradNorm: true,
  flags: { parallel_fwdbwd_chunks: true, create_model_via_load_weights: true },
  apiKey: null,
};
