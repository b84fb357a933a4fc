/**
 * A mean with a 95 % interval that respects clusters: questions about one context succeed and fail together, so whole
 * contexts are drawn with replacement, never single questions (percentile bootstrap over clusters).
 *
 * The result depends on the values, the seed and nothing else: not on the order in which sessions happened to finish.
 */
import { rng } from "../../base/rng.ts";
import { quantile } from "./quantile.ts";

export interface ClusteredValue {
  /** What hangs together, usually the context's id. */
  readonly cluster: string;
  readonly value: number;
}

export interface BootstrapOptions {
  readonly seed: number | string;
  readonly resamples?: number;
}

export interface MeanInterval {
  /** Over all values, each counted once; null when there are none. */
  readonly mean: number | null;
  /** Null together with `high` when no interval can be given; `reason` then says why. */
  readonly low: number | null;
  readonly high: number | null;
  readonly n: number;
  readonly clusters: number;
  readonly reason: string | null;
}

const defaultResamples = 2_000;
const tail = 0.025;

export function clusterBootstrap(values: readonly ClusteredValue[], options: BootstrapOptions): MeanInterval {
  const totals = clusterTotals(values);
  const counted = { n: values.length, clusters: totals.length };
  if (totals.length === 0) return { mean: null, low: null, high: null, ...counted, reason: "nothing was scored" };
  const mean = meanOf(totals);
  if (totals.length === 1) return { mean, low: null, high: null, ...counted, reason: "one context gives no interval" };

  const random = rng(options.seed, "cluster-bootstrap");
  const means = Array.from({ length: options.resamples ?? defaultResamples }, () =>
    meanOf(totals.map(() => random.pick(totals))),
  ).sort((a, b) => a - b);
  return { mean, low: quantile(means, tail), high: quantile(means, 1 - tail), ...counted, reason: null };
}

export interface ClusterTotal {
  readonly sum: number;
  readonly n: number;
}

/** Sum and count per cluster, in an order that does not depend on the input's. */
export function clusterTotals(values: readonly ClusteredValue[]): ClusterTotal[] {
  const groups = new Map<string, number[]>();
  for (const { cluster, value } of values) {
    if (!Number.isFinite(value)) throw new RangeError(`expected finite values, got ${value} in cluster "${cluster}"`);
    const group = groups.get(cluster);
    if (group) group.push(value);
    else groups.set(cluster, [value]);
  }
  return [...groups.keys()].sort().map((cluster) => {
    // sorted, because a floating-point sum depends on its order
    const group = groups.get(cluster)!.sort((a, b) => a - b);
    return { sum: group.reduce((sum, value) => sum + value, 0), n: group.length };
  });
}

export function meanOf(totals: readonly ClusterTotal[]): number {
  let sum = 0;
  let n = 0;
  for (const total of totals) {
    sum += total.sum;
    n += total.n;
  }
  return sum / n;
}
