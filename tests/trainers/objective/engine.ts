/**
 * An engine as the wire describes it: per-token losses by their published formulas, summed over whatever it is given. It knows
 * nothing of sessions or objectives, and reads nothing but the datum and the config.
 */

import type { Plan } from "../../../trainers/objective/compile.ts";
import type { Datum } from "../../../trainers/objective/datum.ts";
import type { ForwardPass, GradientPass } from "../../../trainers/objective/passes.ts";
import { differences, logprobsOf, type Theta } from "./softmax-model.ts";

/** log π of the targets, in the 32 bits of the wire. */
export function forward(pass: ForwardPass, theta: Theta): Float32Array[] {
  return [...pass.datums()].map((datum) => Float32Array.from(logprobsOf(theta, sequenceOf(datum))));
}

/** Σ over datums and tokens. `frozen` is where a stopped gradient is taken. */
export function lossOf(pass: GradientPass, datums: readonly Datum[], theta: Theta, frozen: Theta): number {
  let loss = 0;
  for (const datum of datums) {
    const now = logprobsOf(theta, sequenceOf(datum));
    const stopped = logprobsOf(frozen, sequenceOf(datum));
    now.forEach((l, t) => {
      loss += tokenLoss(pass, datum, t, l, stopped[t]!);
    });
  }
  return loss;
}

function tokenLoss(
  { lossFn, config }: GradientPass,
  { lossFnInputs }: Datum,
  t: number,
  l: number,
  stopped: number,
): number {
  const { logprobs, advantages, weights, ref_logprobs, kl_weights } = lossFnInputs;
  if (lossFn === "cross_entropy") return -weights![t]! * l;
  const A = advantages![t]!;
  const clamp = (ratio: number) => Math.min(Math.max(ratio, config.clip_low_threshold!), config.clip_high_threshold!);
  if (lossFn === "cispo") return -clamp(Math.exp(stopped - logprobs![t]!)) * l * A;
  const ratio = Math.exp(l - logprobs![t]!);
  const surrogate = Math.min(ratio * A, clamp(ratio) * A);
  if (!kl_weights || kl_weights[t] === 0) return -surrogate;
  const delta = l - ref_logprobs![t]!;
  const k3 = Math.exp(-delta) + delta - 1;
  const k = [0, delta, delta ** 2 / 2, k3, ratio * k3][config.kl_kind!]!;
  return -(surrogate - config.kl_beta! * kl_weights[t]! * k);
}

/** What gradient descent would follow after all passes of a plan, as accumulated over `cut`s of each pass's datums. */
export function accumulatedGradient(
  plan: Plan,
  theta: Theta,
  cut: (datums: readonly Datum[]) => Datum[][] = (datums) => [[...datums]],
): Float64Array {
  let scores: Float32Array[] | undefined;
  const total = new Float64Array(theta.length);
  for (const pass of plan.passes) {
    if (pass.op === "forward") {
      scores = forward(pass, theta);
      continue;
    }
    for (const datums of cut([...pass.datums(scores)]))
      differences((at) => lossOf(pass, datums, at, theta), theta).forEach((g, i) => {
        total[i]! += g;
      });
  }
  return total;
}

function sequenceOf({ modelInput, lossFnInputs }: Datum): Int32Array {
  const ids = new Int32Array(modelInput.length + 1);
  ids.set(modelInput);
  ids[modelInput.length] = lossFnInputs.target_tokens.at(-1)!;
  return ids;
}
