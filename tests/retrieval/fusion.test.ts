import { describe, expect, it } from "vitest";
import { minMax, rrf } from "../../retrieval/fusion.ts";
import type { Hit } from "../../retrieval/retriever.ts";

const list = (...pairs: [number, number][]): Hit[] => pairs.map(([index, score]) => ({ index, score }));
const order = (hits: readonly Hit[]) => hits.map((hit) => hit.index);

describe("reciprocal rank fusion", () => {
  it("adds 1 / (60 + rank) over the lists", () => {
    const hits = rrf({ a: list([1, 9], [2, 8], [3, 7]), b: list([3, 1], [1, 0.5]), c: list([4, 2]) });
    expect(order(hits)).toEqual([1, 3, 4, 2]);
    // 1/61 + 1/62 · 1/63 + 1/61 · 1/61 · 1/62
    [0.032522, 0.032266, 0.016393, 0.016129].forEach((score, i) => {
      expect(hits[i]!.score).toBeCloseTo(score, 6);
    });
  });

  it("keeps the score of each list, and orders ties by position", () => {
    const hits = rrf({ a: list([7, 5]), b: list([2, -3]) });
    expect(hits).toEqual([
      { index: 2, score: 1 / 61, parts: { b: -3 } },
      { index: 7, score: 1 / 61, parts: { a: 5 } },
    ]);
  });

  it("a smaller k favours the top", () => {
    expect(rrf({ a: list([0, 1]) }, 10)[0]!.score).toBeCloseTo(1 / 11, 12);
    expect(() => rrf({}, -1)).toThrow(/k: expected/);
    expect(rrf({ a: [], b: [] })).toEqual([]);
  });
});

describe("min-max fusion", () => {
  it("stretches each list to 0..1 and adds the weighted values; a missing document gets 0", () => {
    const hits = minMax({ bm25: list([0, 12], [1, 7], [2, 2]), dense: list([3, 0.9], [1, 0.6], [0, 0.4]) });
    expect(order(hits)).toEqual([0, 3, 1, 2]);
    expect(hits.map((hit) => hit.score)).toEqual([0.5, 0.5, expect.closeTo(0.25 + 0.2, 12), 0]);
    expect(hits[2]!.parts).toEqual({ bm25: 7, dense: 0.6 });
    expect(hits[1]!.parts).toEqual({ dense: 0.9 });
  });

  it("weights count by list name", () => {
    const hits = minMax({ a: list([0, 1], [1, 0]), b: list([1, 1], [0, 0]) }, { a: 0.3, b: 0.7 });
    expect(hits.map(({ index, score }) => [index, score])).toEqual([
      [1, 0.7],
      [0, 0.3],
    ]);
    expect(() => minMax({ a: list([0, 1]) }, { a: -1 })).toThrow(/weight of a/);
    expect(() => minMax({ a: list([0, 1]) }, { a: Number.NaN })).toThrow(/weight of a/);
  });

  it("a list whose scores are all equal adds nothing", () => {
    const hits = minMax({ a: list([0, 5], [1, 5]), b: list([1, 2], [2, 1]) });
    expect(hits.map(({ index, score }) => [index, score])).toEqual([
      [1, 0.5],
      [0, 0],
      [2, 0],
    ]);
  });

  it("with a known floor the only match of a list counts in full", () => {
    const lists = { bm25: list([4, 3.2]), dense: list([0, 0.9], [4, 0.1]) };
    expect(order(minMax(lists))).toEqual([0, 4]);
    expect(order(minMax(lists, { bm25: 0.6, dense: 0.4 }, { floors: { bm25: 0 } }))).toEqual([4, 0]);
    // a floor above the lowest score does not cut
    expect(minMax({ a: list([0, 1], [1, -1]) }, {}, { floors: { a: 0 } }).map((hit) => hit.score)).toEqual([1, 0]);
  });
});
