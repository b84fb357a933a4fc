import { describe, expect, test } from "vitest";
import { pairedDifference, type QuestionScore } from "../../../evals/statistics/paired-difference.ts";

/** One row per context, one number per question. */
const scores = (...contexts: number[][]): QuestionScore[] =>
  contexts.flatMap((context, i) => context.map((value, j) => ({ cluster: `c${i}`, question: `q${j}`, value })));

describe("the difference of two systems on the same questions", () => {
  test("is the mean of the differences, positive when the first is better", () => {
    const found = pairedDifference(scores([1, 1], [1, 0]), scores([0, 1], [0, 0]), { seed: 1 });
    expect(found).toMatchObject({ mean: 0.5, n: 4, clusters: 2, wins: 2, losses: 0, ties: 2, unpaired: 0 });
  });

  test("is the same with the other sign when the systems change places", () => {
    const left = scores([1, 0, 1], [0.5, 1, 0], [1, 1, 1]);
    const right = scores([0, 0, 1], [1, 0, 0], [0, 1, 0.25]);
    const forth = pairedDifference(left, right, { seed: 3 });
    const back = pairedDifference(right, left, { seed: 3 });
    expect(back.mean).toBeCloseTo(-forth.mean!, 12);
    expect([back.wins, back.losses, back.p]).toEqual([forth.losses, forth.wins, forth.p]);
  });

  test("uses the questions that both have, and counts the others", () => {
    const found = pairedDifference(scores([1, 1, 1]), scores([0, 0], [1]), { seed: 1 });
    expect(found).toMatchObject({
      mean: 1,
      n: 2,
      unpaired: 2,
      low: null,
      p: null,
      reason: "one context gives no interval",
    });
  });

  test("the p-value of three contexts that all improve alike is the share of sign patterns as extreme: 2 of 8", () => {
    expect(pairedDifference(scores([1], [1], [1]), scores([0], [0], [0]), { seed: 1 }).p).toBe(0.25);
  });

  test("equal systems differ by nothing", () => {
    const same = scores([1, 0], [0, 1]);
    expect(pairedDifference(same, same, { seed: 1 })).toMatchObject({ mean: 0, low: 0, high: 0, p: 1, ties: 4 });
  });

  test("with many contexts signs are sampled, and a clear difference stays clear", () => {
    const ones = scores(...Array.from({ length: 20 }, () => [1]));
    const zeros = scores(...Array.from({ length: 20 }, () => [0]));
    const found = pairedDifference(ones, zeros, { seed: 1 });
    expect(found.p!).toBeLessThan(0.001);
    expect(found.p!).toBeGreaterThan(0);
    expect(pairedDifference(ones, zeros, { seed: 1 })).toEqual(found);
  });

  test("two scores for one question are refused", () => {
    const twice = [...scores([1]), ...scores([0])];
    expect(() => pairedDifference(twice, scores([1]), { seed: 1 })).toThrow(/one score per question/);
  });
});
