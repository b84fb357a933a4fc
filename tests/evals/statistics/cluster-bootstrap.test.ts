import { describe, expect, test } from "vitest";
import { rng } from "../../../base/rng.ts";
import { type ClusteredValue, clusterBootstrap } from "../../../evals/statistics/cluster-bootstrap.ts";
import { quantile } from "../../../evals/statistics/quantile.ts";

const values = (...clusters: number[][]): ClusteredValue[] =>
  clusters.flatMap((cluster, i) => cluster.map((value) => ({ cluster: `context-${i}`, value })));

describe("a mean with an interval over contexts", () => {
  test("every value counts once in the mean, however large its context is", () => {
    const interval = clusterBootstrap(values([1, 1, 1], [0]), { seed: 1 });
    expect(interval).toMatchObject({ mean: 0.75, n: 4, clusters: 2, reason: null });
    // with two contexts the resamples are both of one or one of each, so the ends are those of the contexts
    expect([interval.low, interval.high]).toEqual([0, 1]);
  });

  test("contexts that agree give an interval of one point", () => {
    expect(clusterBootstrap(values([0, 1], [1, 0], [0, 1]), { seed: 1 })).toMatchObject({
      mean: 0.5,
      low: 0.5,
      high: 0.5,
    });
  });

  test("one context gives a mean and no interval, and says why", () => {
    expect(clusterBootstrap(values([0, 1, 1, 0]), { seed: 1 })).toEqual({
      mean: 0.5,
      low: null,
      high: null,
      n: 4,
      clusters: 1,
      reason: "one context gives no interval",
    });
  });

  test("nothing scored is absent, not zero", () => {
    expect(clusterBootstrap([], { seed: 1 })).toMatchObject({ mean: null, low: null, high: null, n: 0, clusters: 0 });
  });

  test("a value that is no number is refused", () => {
    expect(() => clusterBootstrap(values([Number.NaN]), { seed: 1 })).toThrow(/finite/);
  });

  const noisy = (): ClusteredValue[] => {
    const random = rng(5, "noisy");
    return Array.from({ length: 12 }, (_, i) => i).flatMap((i) => {
      const rate = random.next();
      return Array.from({ length: 30 }, () => ({ cluster: `c${i}`, value: random.next() < rate ? 0.1 : 0.7 }));
    });
  };

  test("the seed decides, the order of the values does not", () => {
    const straight = clusterBootstrap(noisy(), { seed: 7 });
    expect(clusterBootstrap(rng(1).shuffle(noisy()), { seed: 7 })).toEqual(straight);
    expect(clusterBootstrap(noisy(), { seed: 8 })).not.toEqual(straight);
    expect(straight.low!).toBeLessThan(straight.mean!);
    expect(straight.high!).toBeGreaterThan(straight.mean!);
  });

  test("the interval is wider than one that takes each question for independent", () => {
    const clustered = clusterBootstrap(noisy(), { seed: 7 });
    const independent = clusterBootstrap(
      noisy().map(({ value }, i) => ({ cluster: `q${i}`, value })),
      { seed: 7 },
    );
    expect(clustered.high! - clustered.low!).toBeGreaterThan(1.5 * (independent.high! - independent.low!));
  });

  test("about 95 of 100 intervals hold the true mean when contexts are many", () => {
    let held = 0;
    for (let trial = 0; trial < 200; trial++) {
      const random = rng(trial, "coverage");
      const drawn = Array.from({ length: 40 }, (_, i) => ({ cluster: `c${i}`, value: random.next() }));
      const { low, high } = clusterBootstrap(drawn, { seed: trial, resamples: 400 });
      if (low! <= 0.5 && high! >= 0.5) held++;
    }
    expect(held).toBeGreaterThanOrEqual(178);
    expect(held).toBeLessThanOrEqual(199);
  });
});

test("quantiles lie between neighbours", () => {
  expect(quantile([0, 1, 2, 3], 0.5)).toBe(1.5);
  expect([0, 0.025, 1].map((q) => quantile([0, 40], q))).toEqual([0, 1, 40]);
  expect(quantile([3], 0.975)).toBe(3);
});
