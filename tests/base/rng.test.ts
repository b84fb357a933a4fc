import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { rng, seedOf } from "../../base/rng.ts";

describe("seeded random numbers", () => {
  // made by an independent implementation of xoshiro128** over the SHA-256 of the path
  test("the sequence of a path is this one, on any machine and for ever", () => {
    const random = rng(7, "golden", 3);
    expect([1, 2, 3, 4, 5].map(() => random.next())).toEqual([
      0.6341286583337933, 0.17848806991241872, 0.20410370221361518, 0.1009167458396405, 0.8134716609492898,
    ]);
  });

  test("so are integers, shuffles, samples and picks", () => {
    const dice = rng("int");
    expect(Array.from({ length: 12 }, () => dice.int(1, 6))).toEqual([2, 3, 1, 4, 5, 1, 3, 2, 1, 4, 4, 5]);
    expect(rng("shuffle").shuffle([1, 2, 3, 4, 5, 6, 7, 8])).toEqual([4, 3, 2, 6, 8, 5, 1, 7]);
    expect(rng("sample", 1).sample([..."abcdefgh"], 3)).toEqual(["a", "f", "g"]);
    expect(rng("pick").pick(["a", "b", "c"])).toBe("a");
    expect([seedOf(7, "x"), seedOf()]).toEqual([2993173809, 2714587983]);
  });

  test("different paths are different sequences, also where their texts run together", () => {
    const paths = [["a", "b"], ["ab"], ["a,b"], [1, 2], [12], ["1", 2], ["1", "2"], []] as const;
    expect(new Set(paths.map((path) => rng(...path).next())).size).toBe(paths.length);
  });

  test("integers stay within both ends and reach them", () => {
    fc.assert(
      fc.property(fc.integer(), fc.integer({ min: -1000, max: 1000 }), fc.nat(50), (seed, low, span) => {
        const random = rng(seed);
        const drawn = Array.from({ length: 40 }, () => random.int(low, low + span));
        return drawn.every((n) => Number.isInteger(n) && n >= low && n <= low + span);
      }),
      { numRuns: 50 },
    );
    const random = rng("ends");
    expect(new Set(Array.from({ length: 200 }, () => random.int(-1, 1)))).toEqual(new Set([-1, 0, 1]));
  });

  test("a shuffle is a permutation and leaves its input alone; a sample holds no item twice", () => {
    const items = Object.freeze([1, 2, 3, 4, 5]);
    expect([...rng(3).shuffle(items)].sort()).toEqual([...items]);
    expect(new Set(rng(3).sample(items, 4)).size).toBe(4);
    expect(rng(3).sample(items, 99)).toHaveLength(5);
  });

  test("numbers are spread evenly enough to be used: 20,000 draws in ten bins", () => {
    const random = rng("bins");
    const bins = Array<number>(10).fill(0);
    for (let i = 0; i < 20_000; i++) bins[Math.floor(random.next() * 10)]!++;
    // χ² with 9 degrees of freedom: 27.9 is the 0.1 % point
    const chi2 = bins.reduce((sum, count) => sum + (count - 2_000) ** 2 / 2_000, 0);
    expect(chi2).toBeLessThan(27.9);
  });

  test("picking from nothing is a programmer's error with a message", () => {
    expect(() => rng(1).pick([])).toThrow(/at least one item/);
  });
});
