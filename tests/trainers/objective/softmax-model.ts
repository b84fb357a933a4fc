/** A small softmax model: the logits of the next token are a row of θ chosen by the last one. θ is [V][V] in one float64 array. */
import { rng } from "../../../base/rng.ts";
import type { TracePart } from "../../../policies/token-trace.ts";
import type { TrainingSession } from "../../../trainers/objective/training-session.ts";

export const VOCABULARY = 5;

export type Theta = Float64Array;

export function randomTheta(...path: readonly (string | number)[]): Theta {
  const draw = rng("softmax-model", ...path);
  return Float64Array.from({ length: VOCABULARY ** 2 }, () => 2 * draw.next() - 1);
}

/** θ moved by up to `size` in every coordinate, so that no ratio is 1. */
export function moved(theta: Theta, size: number, ...path: readonly (string | number)[]): Theta {
  const draw = rng("moved", ...path);
  return theta.map((value) => value + size * (2 * draw.next() - 1));
}

/** log π of every target: element t is that of ids[t + 1] after ids[t]. */
export function logprobsOf(theta: Theta, ids: Int32Array): Float64Array {
  return Float64Array.from({ length: ids.length - 1 }, (_, t) => {
    const row = theta.subarray(ids[t]! * VOCABULARY, (ids[t]! + 1) * VOCABULARY);
    const normaliser = Math.log(row.reduce((sum, logit) => sum + Math.exp(logit), 0));
    return row[ids[t + 1]!]! - normaliser;
  });
}

/** ∇f(θ) by central differences. */
export function differences(f: (theta: Theta) => number, theta: Theta, step = 1e-5): Float64Array {
  return theta.map((_, i) => {
    const at = (h: number) => f(theta.with(i, theta[i]! + h));
    return (at(step) - at(-step)) / (2 * step);
  });
}

/** ‖a − b‖ / ‖b‖. */
export function relativeError(a: Float64Array, b: Float64Array): number {
  return norm(a.map((value, i) => value - b[i]!)) / norm(b);
}

export function norm(vector: Float64Array): number {
  return Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
}

export interface Models {
  readonly sampler: Theta;
  readonly old: Theta | null;
  readonly ref: Theta | null;
}

/** Sessions of both strata, some of several parts, with advantages of either sign, one 0 and one null. */
export function sampleSessions(models: Models, seed: number): TrainingSession[] {
  const draw = rng("sessions", seed);
  const lengths = [[12], [9, 7], [6], [10], [5], [8], [7, 4, 5], [11]];
  const advantages = [1.25, -0.75, 0.5, -1.5, 0, null, 0.8, -0.3];
  return lengths.map((parts, n) => ({
    id: `s${n}`,
    stage: n < 4 ? ("memory" as const) : ("qa" as const),
    advantage: advantages[n]!,
    pair: { id: `p${n >> 1}`, side: n % 2 === 0 ? ("chosen" as const) : ("rejected" as const) },
    parts: parts.map((length) => {
      const ids = Int32Array.from({ length }, () => draw.int(0, VOCABULARY - 1));
      // every second part ends in a prompt token, as a merged session never does: the mask alone decides
      const mask = Uint8Array.from({ length }, (_, t) => (t === 0 ? 0 : t === 1 ? 1 : draw.int(0, 1)));
      return score({ ids, mask, sampler: new Float32Array(length) }, models);
    }),
  }));
}

function score(part: TracePart, { sampler, old, ref }: Models): TracePart {
  const under = (theta: Theta, where: Uint8Array | null) => {
    const aligned = new Float32Array(part.ids.length);
    aligned.set(logprobsOf(theta, part.ids), 1);
    return where ? aligned.map((l, t) => (where[t] === 1 ? l : 0)) : aligned;
  };
  return {
    ...part,
    sampler: under(sampler, part.mask),
    ...(old && { old: under(old, null) }),
    ...(ref && { ref: under(ref, null) }),
  };
}
