/**
 * After a publish: the same sequence scored by learner and sampler. Servers have been seen to serve the weights before, the base
 * model, or an adapter that fits nothing, all without a word; training goes on then and learns nothing.
 */
import { UmaError } from "../../base/errors.ts";
import type { Sampler } from "./sampler.ts";
import type { Stoppable, TrainedModel } from "./trained-model.ts";

export interface CheckPublishedOptions extends Stoppable {
  /** Any sequence of at least two tokens, the same one every time. */
  readonly tokens: Int32Array;
  /** Largest mean difference in nats; half precision makes about 0.01. Default 0.02. */
  readonly tolerance?: number;
  /** Scores of the same tokens by the base model, as `computeLogprobs` gives them: after a step the sampler's must differ. */
  readonly base?: Float32Array;
}

export interface PublishedCheck {
  /** Mean and largest |difference| in nats. */
  readonly mean: number;
  readonly most: number;
}

/** Throws `provider` when the sampler does not have the learner's weights. Nothing may be trained between publish and check. */
export async function checkPublished(
  model: TrainedModel,
  sampler: Sampler,
  { tokens, tolerance = 0.02, base, signal }: CheckPublishedOptions,
): Promise<PublishedCheck> {
  if (tokens.length < 2)
    throw new UmaError("config", `expected at least two tokens to compare on, got ${tokens.length}`);
  const stoppable = signal ? { signal } : {};
  const datum = { modelInput: tokens.subarray(0, -1), lossFnInputs: { target_tokens: tokens.subarray(1) } };
  const [scored, { logprobs }] = await Promise.all([
    sampler.computeLogprobs(tokens, stoppable),
    model.forward([datum], "cross_entropy", {}, stoppable),
  ]);
  const gaps = Array.from(logprobs[0]!, (value, t) => Math.abs(value - scored[t + 1]!));
  const mean = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length;
  const most = Math.max(...gaps);
  const where = `sampler ${sampler.weightVersion} and model ${model.modelId}`;
  if (!(mean <= tolerance))
    throw new UmaError(
      "provider",
      `${where} score the same ${gaps.length} tokens ${mean.toPrecision(3)} apart on average, expected at most ${tolerance}: the sampler does not have the learner's weights`,
      { fix: "run the doctor on this server; its publish probe says which weights it serves" },
    );
  if (
    base &&
    sampler.step !== null &&
    sampler.step > 0 &&
    base.subarray(1).every((value, t) => value === scored[t + 1])
  )
    throw new UmaError("provider", `${where} score exactly like the base model after ${sampler.step} steps`, {
      fix: "the steps changed nothing: look at the learning rate and at what optim_step reports",
    });
  return { mean, most };
}
