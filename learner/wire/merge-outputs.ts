/**
 * One result out of the results of a call's parts: log-probabilities one after another, metrics by the end of their names.
 *
 * Means are weighted by datums, as the protocol's own client does it. A metric whose ending says nothing we know is kept per
 * part, so that nothing vanishes and nothing is merged by guess.
 */
import type { ForwardOutput } from "./forward-output.ts";

export function mergeOutputs(parts: readonly ForwardOutput[]): ForwardOutput {
  if (parts.length === 1) return parts[0]!;
  const weights = parts.map(({ logprobs }) => logprobs.length);
  const metrics: Record<string, number> = {};
  for (const name of new Set(parts.flatMap((part) => Object.keys(part.metrics)))) {
    const has = parts.flatMap((part, p) => (name in part.metrics ? [p] : []));
    const values = has.map((p) => parts[p]!.metrics[name]!);
    const reduce = reductions[name.slice(name.lastIndexOf(":") + 1)];
    if (reduce)
      metrics[name] = reduce(
        values,
        has.map((p) => weights[p]!),
      );
    else if (values.length === parts.length && values.every((value) => value === values[0])) metrics[name] = values[0]!;
    else
      has.forEach((p, i) => {
        metrics[`${name}[${p}]`] = values[i]!;
      });
  }
  return { logprobs: parts.flatMap((part) => part.logprobs), metrics };
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

const mean: Reduction = (values, weights) => {
  const total = sum(weights);
  return total === 0 ? sum(values) / values.length : sum(values.map((value, i) => value * weights[i]!)) / total;
};

type Reduction = (values: readonly number[], weights: readonly number[]) => number;

const reductions: Readonly<Record<string, Reduction | undefined>> = {
  sum,
  mean,
  min: (values) => Math.min(...values),
  max: (values) => Math.max(...values),
  slack: (values, weights) => Math.max(...values) - mean(values, weights),
};
