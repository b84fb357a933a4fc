import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, test } from "vitest";
import { advantageOptions } from "../../../trainers/advantages/estimator.ts";
import { standardize } from "../../../trainers/advantages/standardize.ts";

const paper = advantageOptions();
const published = advantageOptions({ profile: "uma-code" });

describe("(R − mean) / (σ + ε)", () => {
  it("population σ by default: ±1 for two values, sample σ by name: ±1/√2", () => {
    expect(standardize([1, 0], paper)).toEqual([0.5 / (0.5 + 1e-6), -0.5 / (0.5 + 1e-6)]);
    expect(standardize([1, 0], { ...paper, deviation: "sample" })[0]).toBeCloseTo(Math.SQRT1_2, 5);
  });

  it("null leaves mean and deviation and stays null; zero does not", () => {
    const [high, low] = standardize([1, 0], paper);
    expect(standardize([null, 1, null, 0], paper)).toEqual([null, high, null, low]);
    expect(standardize([0, 0, 1], paper)[0]).toBeCloseTo(-Math.SQRT1_2, 5);
  });

  it("rewards that are all the same give exactly 0, whatever their mean rounds to", () => {
    for (const reward of [1.1666666666666667, 0.7, 1.3, 0.1, 0, -0]) {
      for (const n of [2, 16, 160, 1_000]) {
        for (const options of [paper, published])
          for (const advantage of standardize(Array<number>(n).fill(reward), options)) expect(advantage).toBe(0);
      }
    }
  });

  it("fewer than two rewards say nothing: null", () => {
    expect(standardize([], paper)).toEqual([]);
    expect(standardize([null, null], paper)).toEqual([null, null]);
    expect(standardize([null, 1.5], paper)).toEqual([null, null]);
  });

  it("rewards that differ by rounding alone stay next to 0, because of ε", () => {
    for (const advantage of standardize([0.1 + 0.2, 0.3, 0.3], paper)) expect(Math.abs(advantage!)).toBeLessThan(1e-9);
  });

  it.each([
    [[Number.NaN, 1]],
    [[Number.NEGATIVE_INFINITY]],
    [[Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]],
    [[1e200, -1e200]],
  ])("%j is refused", (rewards) => {
    expect(() => standardize(rewards, published)).toThrow(/finite|too large/);
  });

  it.each([
    [{ eps_std: 0 }, /eps_std/],
    [{ deviation: "both" as "sample" }, /deviation/],
    [{ epsilon: 1 } as object, /epsilon/],
    [{ profile: "verl" as "paper" }, /no advantage profile "verl"/],
  ])("the option %j is refused", (settings, message) => {
    expect(() => advantageOptions(settings)).toThrow(message);
  });
});

describe("the published code's numbers (float32, ddof 1)", () => {
  interface Case {
    readonly name: string;
    readonly rows: readonly { readonly group: string; readonly score: number }[];
    readonly advantage: readonly number[];
  }
  const file = join(import.meta.dirname, "../../golden/advantage_vectors.json");
  const vectors = JSON.parse(readFileSync(file, "utf8")) as {
    cases: Case[];
    identical_reward_noise: Record<string, number>;
  };

  const byGroup = ({ rows }: Case, options: typeof paper) => {
    const advantages = new Map<string, (number | null)[]>();
    for (const { group } of rows)
      advantages.set(
        group,
        standardize(
          rows.filter((row) => row.group === group).map(({ score }) => score),
          options,
        ),
      );
    return rows.map(({ group }) => advantages.get(group)!.shift()!);
  };

  it("there are five cases", () => expect(vectors.cases).toHaveLength(5));

  test.each(vectors.cases)("uma-code: $name", (vector) => {
    byGroup(vector, published).forEach((advantage, n) => {
      expect(Math.abs(advantage! - vector.advantage[n]!)).toBeLessThan(2e-6);
    });
  });

  it("a lone reward is its own advantage there, and no signal here", () => {
    const lone = vectors.cases.find(({ name }) => name.startsWith("singleton"))!;
    expect(byGroup(lone, published)[0]).toBe(1.5 / (1 + 1e-6));
    expect(byGroup(lone, { ...paper, deviation: "sample" })).toEqual([null, ...byGroup(lone, published).slice(1)]);
  });

  it("groups of equal rewards, which float32 gives up to ±0.1065, are exactly 0 here", () => {
    const noise = Object.entries(vectors.identical_reward_noise);
    expect(Math.max(...noise.map(([, worst]) => worst))).toBeGreaterThan(0.1);
    for (const [name] of noise) {
      const [score, n] = name.split("x").map(Number);
      expect(new Set(standardize(Array<number>(n!).fill(score!), published))).toEqual(new Set([0]));
    }
  });
});
