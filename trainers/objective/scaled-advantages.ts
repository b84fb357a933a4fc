/** Advantages that carry all of Eqs. 7–8, so that an engine which only sums needs to know nothing about sessions. */

import type { TracePart } from "../../policies/token-trace.ts";
import { klSlope } from "./kl.ts";
import { klOf, type PolicyGradient } from "./objective.ts";
import { importanceWeight, oldLogprobs, type Term } from "./term.ts";
import { onTrained } from "./token-tensor.ts";

/** c_s · A · (truncated importance weight) on trained tokens, else 0; one element per target. */
export function scaledAdvantages(objective: PolicyGradient, term: Term, part: TracePart): Float32Array {
  const A = term.scale * term.session.advantage!;
  return onTrained(term, part, (t) => A * importanceWeight(objective, part, t));
}

/** The same with the KL term's slope at ρ = 1 taken off: c_s · (A − β·k′). */
export function foldedAdvantages(objective: PolicyGradient, term: Term, part: TracePart): Float32Array {
  const kl = klOf(objective)!;
  const old = oldLogprobs(part);
  return onTrained(term, part, (t) => {
    const A = term.session.advantage! * importanceWeight(objective, part, t);
    return term.scale * (A - kl.beta * klSlope(kl, old[t]! - part.ref![t]!, 1));
  });
}
