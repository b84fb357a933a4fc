/**
 * Adam turned into plain gradient descent: with both betas 0 and an eps far above any gradient, a step is
 * learningRate · g / (|g| + eps) ≈ rate · g. So twice the gradient moves the model twice as far, and sizes can be compared.
 */
import type { Adam } from "../client/adam.ts";

const EPS = 100;

export function smallStep(rate: number): Required<Omit<Adam, "gradClipNorm">> {
  return { learningRate: rate * EPS, beta1: 0, beta2: 0, eps: EPS, weightDecay: 0 };
}

/** How many times `base` is contained in `change`: their projection. Null where `base` is nothing. */
export function times(change: ArrayLike<number>, base: ArrayLike<number>): number | null {
  let dot = 0;
  let square = 0;
  for (let i = 0; i < base.length; i++) {
    dot += change[i]! * base[i]!;
    square += base[i]! * base[i]!;
  }
  return square === 0 ? null : dot / square;
}

export function meanSize(values: ArrayLike<number>): number {
  return Array.from(values).reduce((sum, value) => sum + Math.abs(value), 0) / values.length;
}

export function difference(after: ArrayLike<number>, before: ArrayLike<number>): number[] {
  return Array.from(after, (value, i) => value - before[i]!);
}

/** The number of a step's or call's report by its name, whatever the end of the name says about merging. */
export function reported(metrics: Readonly<Record<string, number>>, name: string): number | null {
  const key = Object.keys(metrics).find((given) => given.split(":")[0]!.split("/").at(-1) === name);
  return key === undefined ? null : metrics[key]!;
}
