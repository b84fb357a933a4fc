import { describe, expect, it } from "vitest";
import { rng } from "../../../base/rng.ts";
import { amountsIn, datesIn, spellDate, spellings } from "../../../evals/benchmarks/ledger-qa/amount-forms.ts";
import { amountsInWords, numberToWords } from "../../../evals/benchmarks/ledger-qa/number-words.ts";

describe("number words", () => {
  it("every number from 2 to 9,999 is read back from its words", () => {
    for (let n = 2; n < 10_000; n++) {
      const words = numberToWords(n);
      expect([words, amountsInWords(words).map(({ cents }) => cents)]).toEqual([words, [n * 100]]);
    }
  });

  it.each([
    ["twelve fifty", [1250]],
    ["three ninety-nine for it", [399]],
    ["twelve dollars and fifty cents", [1250]],
    ["ninety-nine cents", [99]],
    ["one hundred and five bucks", [10500]],
    ["two thousand three hundred", [230000]],
    ["a hundred", [10000]],
    ["half a dozen, a dozen", [1200, 1200]],
    ["one dollar", [100]],
    ["the one from Monday, one second", []],
    ["forty-two, not twenty-four", [4200, 2400]],
    ["someone, often, weighty, tense", []],
    ["", []],
  ] as const)("%j means %j cents", (text, cents) => {
    expect(amountsInWords(text).map((found) => found.cents)).toEqual(cents);
  });

  it("refuses numbers it has no words for", () => {
    expect(() => numberToWords(10_000)).toThrow(/0\.\.9999/);
    expect(() => numberToWords(1.5)).toThrow(/0\.\.9999/);
  });
});

describe("amounts in text", () => {
  it("every spelling of every amount is read back, also inside a sentence", () => {
    const random = rng("spellings");
    const some = Array.from({ length: 400 }, () => random.int(100, random.pick([999, 9_999, 999_999])));
    for (const cents of [...some, 100, 110, 1250, 100_000, 129_900, 129_999])
      for (const profile of ["micro", "full"] as const)
        for (const spelt of spellings(cents, profile)) {
          expect([spelt, amountsIn(spelt)]).toEqual([spelt, [cents]]);
          expect(amountsIn(`On 2024-03-05 I paid ${spelt}.`)).toEqual([cents]);
        }
  });

  it.each(["5k", "10%", "-12", "\u221212", "12.505", "12,5", "\uff11\uff12", "\u0661\u0662", "\u00bd", "5th"])(
    "%j is a number, but never equal to an amount",
    (text) => {
      expect(amountsIn(text).every((cents) => cents === -1)).toBe(true);
      expect(amountsIn(text).length).toBeGreaterThan(0);
    },
  );

  it("keeps the order of digits and words", () => {
    expect(amountsIn("It was twelve fifty, not 21.50 or $1,299.")).toEqual([1250, 2150, 129900]);
  });
});

describe("dates in text", () => {
  it("are read in both spellings and never taken for amounts", () => {
    const text = `From ${spellDate("2024-03-05")} to 2024-12-31`;
    expect(text).toContain("March 5, 2024");
    expect(datesIn(text)).toEqual(["2024-03-05", "2024-12-31"]);
    expect(amountsIn(text)).toEqual([]);
  });
});
