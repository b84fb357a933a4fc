/**
 * ∂J/∂ log π of every trained token in closed form: the signed weights that make a plain cross-entropy pass follow ∇J.
 *
 * −Σ w_t log π_t with constant w has gradient −Σ w_t ∇ log π_t; with w_t = ∂J/∂ log π_t that is −∇J, for any J that depends on θ
 * only through the log-probabilities of the sampled tokens. Entropy and full-vocabulary KL do not.
 */

import type { TracePart } from "../../policies/token-trace.ts";
import { boundedRatio, clippedSlope } from "./clipped-objective.ts";
import { klSlope } from "./kl.ts";
import { klOf, type Objective, type PolicyGradient } from "./objective.ts";
import {
  importanceWeight,
  type Logprobs,
  oldLogprobs,
  preferenceMargins,
  sessionRatio,
  sumTrained,
  type Term,
} from "./term.ts";
import { onTrained } from "./token-tensor.ts";

/** Of one token: its place in its part, and its log-probability under the current weights. */
type TokenSlope = (part: TracePart, t: number, l: number) => number;

/** Of part p of a term: one number per target, 0 where it is not trained. */
export function logprobGradient(
  objective: Objective,
  terms: readonly Term[],
  current: readonly Logprobs[],
): (term: Term, p: number) => Float32Array {
  const slopeOf = termSlope(objective, terms, current);
  return (term, p) => {
    const slope = slopeOf(term);
    const part = term.session.parts[p]!;
    const logprobs = current[term.at + p]!;
    return onTrained(term, part, (t) => term.scale * slope(part, t, logprobs[t - 1]!));
  };
}

function termSlope(
  objective: Objective,
  terms: readonly Term[],
  current: readonly Logprobs[],
): (term: Term) => TokenSlope {
  if (objective.loss === "sft") return () => () => 1;
  if (objective.loss === "dpo") {
    const margins = preferenceMargins(objective.beta, terms, current);
    return ({ session: { pair } }) => {
      const slope = objective.beta / (1 + Math.exp(margins.get(pair!.id)!));
      return () => (pair!.side === "chosen" ? slope : -slope);
    };
  }
  const kl = klOf(objective);
  return (term) => {
    const surrogate = surrogateSlope(objective, term, current);
    return (part, t, l) => {
      const rho = Math.exp(l - oldLogprobs(part)[t]!);
      const A = term.session.advantage! * importanceWeight(objective, part, t);
      return surrogate(rho, A) - (kl ? kl.beta * klSlope(kl, l - part.ref![t]!, rho) : 0);
    };
  };
}

function surrogateSlope(
  objective: PolicyGradient,
  term: Term,
  current: readonly Logprobs[],
): (rho: number, A: number) => number {
  switch (objective.loss) {
    case "clipped":
      return (rho, A) => clippedSlope(rho, A, objective.clip);
    case "cispo":
      return (rho, A) => boundedRatio(rho, objective.clip) * A;
    case "reinforce":
      return (_, A) => A;
    case "gspo": {
      // each token moves the session's ratio by 1/|s| of it, and every token of the session is weighed by that ratio
      const mean = sumTrained(term, (part, t) => importanceWeight(objective, part, t)) / term.trained;
      const slope = mean * clippedSlope(sessionRatio(term, current), term.session.advantage!, objective.clip);
      return () => slope;
    }
  }
}
