/** A session as a term of the loss, and the ratios its tokens enter with. */

import type { TracePart } from "../../policies/token-trace.ts";
import type { PolicyGradient } from "./objective.ts";
import type { TrainingSession } from "./training-session.ts";

export interface Term {
  readonly session: TrainingSession;
  /** |s|, over all parts. */
  readonly trained: number;
  /** c_s: what one of its tokens weighs in the update. */
  readonly scale: number;
  /** Its first part's place among the datums. */
  readonly at: number;
}

/** Log-probabilities of a datum's targets under the current weights: element t belongs to token t + 1 of the part. */
export type Logprobs = ArrayLike<number>;

/** log π_θold of every token: the learner's where it recomputed them, else the sampler's. */
export function oldLogprobs(part: TracePart): Float32Array {
  return part.old ?? part.sampler;
}

/** min(π_θold/π_sampler, cap), the factor on a token's advantage; 1 without truncated importance weights. */
export function importanceWeight({ tis }: PolicyGradient, part: TracePart, t: number): number {
  return tis === null ? 1 : Math.min(Math.exp(oldLogprobs(part)[t]! - part.sampler[t]!), tis.cap);
}

/** GSPO's ratio of a session: exp of the mean of log π_θ − log π_θold over its trained tokens. */
export function sessionRatio(term: Term, current: readonly Logprobs[]): number {
  return Math.exp(
    sumTrained(term, (part, t, p) => current[term.at + p]![t - 1]! - oldLogprobs(part)[t]!) / term.trained,
  );
}

/** Σ of `value` over a session's trained tokens; `t` is the token's place in its part, `p` the part's. */
export function sumTrained(term: Term, value: (part: TracePart, t: number, p: number) => number): number {
  let sum = 0;
  term.session.parts.forEach((part, p) => {
    forEachTrained(part, (t) => {
      sum += value(part, t, p);
    });
  });
  return sum;
}

/** Visits a part's trained tokens in order. Nine in ten tokens are not trained, and the native search skips them at memory speed. */
export function forEachTrained({ mask }: TracePart, visit: (t: number) => void): void {
  for (let t = mask.indexOf(1); t !== -1; t = mask.indexOf(1, t)) for (; mask[t] === 1; t++) visit(t);
}

/** DPO's z of every pair: β times how far chosen outgrew rejected against the reference. */
export function preferenceMargins(
  beta: number,
  terms: readonly Term[],
  current: readonly Logprobs[],
): Map<string, number> {
  const margins = new Map<string, number>();
  for (const term of terms) {
    const { id, side } = term.session.pair!;
    const gain = sumTrained(term, (part, t, p) => current[term.at + p]![t - 1]! - part.ref![t]!);
    margins.set(id, (margins.get(id) ?? 0) + beta * (side === "chosen" ? gain : -gain));
  }
  return margins;
}
