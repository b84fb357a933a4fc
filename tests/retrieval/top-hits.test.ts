import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { topHits } from "../../retrieval/top-hits.ts";

describe("the best k of many scores", () => {
  it("equals sorting everything and cutting, for any scores, ties and NaN", () => {
    const score = fc.constantFrom(-2, -1, 0, 0.5, 1, 3, Number.NaN);
    fc.assert(
      fc.property(fc.array(score, { maxLength: 60 }), fc.nat(70), (given, topK) => {
        const expected = given
          .map((value, index) => ({ index, score: value }))
          .filter((hit) => !Number.isNaN(hit.score))
          .sort((a, b) => b.score - a.score || a.index - b.index)
          .slice(0, topK);
        expect(topHits(Float64Array.from(given), given.length, topK)).toEqual(expected);
      }),
    );
  });

  it("looks only at the given positions", () => {
    const scores = Float64Array.from([9, 1, 8, 2, 7]);
    expect(topHits(scores, Uint32Array.from([4, 1, 3]), 2).map((hit) => hit.index)).toEqual([4, 3]);
  });
});
