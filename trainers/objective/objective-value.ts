/**
 * J(θ) in float64 from log-probabilities: Eqs. 7–9 and the other objectives as they are written, without a derivative.
 *
 * Used to log J where an engine's own loss is not −J (analytic weights), and as the oracle that the gradients of every mode
 * are checked against by finite differences.
 */
import { boundedRatio, clippedObjective } from "./clipped-objective.ts";
import { klEstimate } from "./kl.ts";
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

/**
 * `current` has one array per datum, as a forward pass returns them. `detached` are the log-probabilities that CISPO's
 * stopped-gradient weight is taken at; only a finite difference needs them to differ from `current`.
 */
export function objectiveValue(
  objective: Objective,
  terms: readonly Term[],
  current: readonly Logprobs[],
  detached: readonly Logprobs[] = current,
): number {
  if (objective.loss === "dpo") return preferenceValue(objective.beta, terms, current);
  return terms.reduce((J, term) => {
    const l = (t: number, p: number) => current[term.at + p]![t - 1]!;
    if (objective.loss === "sft") return J + term.scale * sumTrained(term, (_, t, p) => l(t, p));
    const kl = klOf(objective);
    const surrogate = surrogateOf(objective, term, current, detached);
    const sum = sumTrained(term, (part, t, p) => {
      const rho = Math.exp(l(t, p) - oldLogprobs(part)[t]!);
      const A = term.session.advantage! * importanceWeight(objective, part, t);
      const penalty = kl ? kl.beta * klEstimate(kl, l(t, p) - part.ref![t]!, rho) : 0;
      return surrogate(rho, A, t, p) - penalty;
    });
    return J + term.scale * sum;
  }, 0);
}

type Surrogate = (rho: number, A: number, t: number, p: number) => number;

function surrogateOf(
  objective: PolicyGradient,
  term: Term,
  current: readonly Logprobs[],
  detached: readonly Logprobs[],
): Surrogate {
  const at = (logprobs: readonly Logprobs[], t: number, p: number) => logprobs[term.at + p]![t - 1]!;
  switch (objective.loss) {
    case "clipped":
      return (rho, A) => clippedObjective(rho, A, objective.clip);
    case "gspo": {
      const r = sessionRatio(term, current);
      return (_, A) => clippedObjective(r, A, objective.clip);
    }
    case "cispo":
      return (_, A, t, p) => {
        const rho = Math.exp(at(detached, t, p) - oldLogprobs(term.session.parts[p]!)[t]!);
        return boundedRatio(rho, objective.clip) * at(current, t, p) * A;
      };
    case "reinforce":
      return (_, A, t, p) => at(current, t, p) * A;
  }
}

/** Mean of log σ(z) over pairs. */
function preferenceValue(beta: number, terms: readonly Term[], current: readonly Logprobs[]): number {
  const scale = terms[0]?.scale ?? 0;
  let J = 0;
  for (const z of preferenceMargins(beta, terms, current).values())
    J -= scale * (Math.max(-z, 0) + Math.log1p(Math.exp(-Math.abs(z))));
  return J;
}
