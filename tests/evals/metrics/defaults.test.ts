import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Metric, Question } from "../../../evals/benchmark.ts";
import { answerText } from "../../../evals/metrics/answer-text.ts";
import { bleu1, scoreBleu1 } from "../../../evals/metrics/bleu-1.ts";
import { decimalExact } from "../../../evals/metrics/decimal-exact.ts";
import { exactMatch, scoreExactMatch } from "../../../evals/metrics/exact-match.ts";
import { keywordHitRate, scoreKeywordHitRate } from "../../../evals/metrics/keyword-hit-rate.ts";
import { normalizeAnswer } from "../../../evals/metrics/normalize.ts";
import { rougeL, scoreRougeL } from "../../../evals/metrics/rouge-l.ts";
import { scoreSubEm, subEm } from "../../../evals/metrics/sub-em.ts";
import { scoreTokenF1, tokenF1 } from "../../../evals/metrics/token-f1.ts";

const metrics: readonly Metric[] = [exactMatch, tokenF1, decimalExact, subEm, rougeL, bleu1, keywordHitRate];
const lexical: Record<string, (prediction: string, gold: string) => number> = {
  em: scoreExactMatch,
  f1: (prediction, gold) => scoreTokenF1(prediction, gold).f1,
  sub_em: scoreSubEm,
  rouge_l: scoreRougeL,
  bleu_1: scoreBleu1,
};
const question = (answer: string | null): Question => ({ id: "q", text: "?", answer, position: 0, category: "c" });

describe("normalisation keeps what a number means", () => {
  test.each([
    ["171.49", "171.49"],
    ["$1,234.50.", "1234.50"],
    ["1,234,567", "1234567"],
    ["May 7,2023", "may 7 2023"],
    ["1,2,3", "1 2 3"],
    ["12,34,567", "12 34 567"],
    ["1,234, or 5", "1234 or 5"],
    ["-5", "-5"],
    ["-$5", "-5"],
    ["(-.5)", "-.5"],
    ["- five", "five"],
    ["3-5 days", "3-5 days"],
    ["2024-01-05", "2024-01-05"],
    ["10:30", "10:30"],
    ["1/2", "1/2"],
    ["50%", "50"],
    ["It's the U.S., New-York!", "its the us newyork"],
    ["covid-19", "covid19"],
    ["a\tb\n c\u00a0d\u3000e", "a b c d e"],
    ["The “Cat”", "the “cat”"],
  ])("%j becomes %j", (text, normalized) => {
    expect(normalizeAnswer(text)).toBe(normalized);
    expect(normalizeAnswer(normalized)).toBe(normalized);
  });

  test.each([
    ["171.49", "17149"],
    ["42.00", "4200"],
    ["-5", "5"],
    ["3-5 days", "35 days"],
    ["2024-01-05", "20240105"],
    ["0.5", "05"],
    ["1/2", "12"],
  ])("%j and %j are two answers by every metric, one by the published code", (left, right) => {
    for (const [name, score] of Object.entries(lexical)) expect([name, score(left, right)]).not.toEqual([name, 1]);
    expect(scoreExactMatch(left, right, { profile: "uma-code" })).toBe(1);
  });
});

describe("App. K on words", () => {
  test("EM compares sets: order and repetition do not count", () => {
    expect(scoreExactMatch("Shopping, Dining, Dining", "dining shopping")).toBe(1);
    expect(scoreExactMatch("the Paris", "Paris")).toBe(0);
  });

  test("precision, recall and F1 compare multisets", () => {
    expect(scoreTokenF1("a a b", "a b b b")).toEqual({ precision: 2 / 3, recall: 2 / 4, f1: 4 / 7 });
  });

  test("ROUGE-L stems words of more than three letters and keeps their order", () => {
    expect(scoreRougeL("skies are dying", "sky is die")).toBeCloseTo(2 / 3, 12);
    expect(scoreRougeL("b a", "a b")).toBe(0.5);
    expect(scoreRougeL("he runs quickly home", "quick running at home")).toBeCloseTo(0.25 * 2, 12);
  });

  test("ROUGE-L knows the words of every script", () => {
    expect(scoreRougeL("北京", "北京")).toBe(1);
    expect(scoreRougeL("我在北京", "北京")).toBeCloseTo(2 / 3, 12);
    expect(scoreRougeL("живёт в Москве", "в Москве")).toBeCloseTo(0.8, 12);
  });

  test("BLEU-1 clips repeated words and punishes short answers", () => {
    expect(scoreBleu1("the the the the", "the cat sat down")).toBe(0.25);
    expect(scoreBleu1("the cat", "the cat sat down")).toBeCloseTo(Math.exp(-1), 12);
    expect(scoreBleu1("the cat sat down there now", "the cat sat down")).toBeCloseTo(4 / 6, 12);
  });

  test.each([
    ["The answer is Paris, the capital.", "Paris", 1],
    ["Obama", "Barack Obama", 1],
    ["comparison", "Paris", 0],
    ["a", "a big dog", 1],
    ["big", "biggest", 0],
    ["120.00", "0.00", 0],
    ["42", "42.00", 0],
    ["5", "-5", 0],
    ["in 2022-2023", "2022", 0],
    ["it cost 42.00 in all", "42.00", 1],
    ["“Paris”", "paris", 1],
    ["我住在北京市", "北京", 1],
    ["catcat cat", "cat", 1],
    ["", "42", 0],
    ["   ", "42", 0],
    ["!!!", "42", 0],
    ["42", "", 0],
    ["", "", 1],
  ])(
    "Sub-EM of %j against %j is %d: whole words and numbers, and nothing for being empty",
    (prediction, gold, score) => {
      expect(scoreSubEm(prediction, gold)).toBe(score);
    },
  );

  test("texts of marks alone are equal only to themselves", () => {
    for (const [name, score] of Object.entries(lexical)) {
      expect([name, score("???", "???"), score("!!!", "???"), score("", ""), score("", "42")]).toEqual([
        name,
        1,
        0,
        1,
        0,
      ]);
    }
  });
});

describe("keyword hit rate", () => {
  test("a gold without keywords cannot be scored", () => {
    expect(scoreKeywordHitRate("anything", " , ")).toBeNull();
  });
});

describe("every metric", () => {
  test("reads the final answer out of its box", () => {
    for (const { name, score } of metrics)
      expect([name, score("First 7. Then \\boxed{12.50}", question("12.50"))]).toEqual([name, 1]);
  });

  test("gives null where the data set has no gold", () => {
    for (const { name, score } of metrics) expect([name, score("12.50", question(null))]).toEqual([name, null]);
  });

  test("gives an empty answer nothing", () => {
    for (const { name, score } of metrics)
      for (const empty of ["", "  \n", "\\boxed{}", "\\boxed{ }"])
        expect([name, score(empty, question("Paris"))]).toEqual([name, 0]);
  });

  const text = fc.oneof(
    fc.string({ unit: "binary", maxLength: 40 }),
    fc.string({ unit: fc.constantFrom(..."0123456789.,-$:/ abÄ北\\{}\u2212\ud83d"), maxLength: 20 }),
  );

  test("never throws and stays in [0, 1], whatever the texts", () => {
    fc.assert(
      fc.property(text, text, (prediction, gold) => {
        for (const { score } of metrics) {
          const value = score(prediction, question(gold));
          if (value !== null && !(value >= 0 && value <= 1)) return false;
        }
        return true;
      }),
      { numRuns: 3_000, seed: 1 },
    );
  });

  test("scores a text against itself 1", () => {
    fc.assert(
      fc.property(text, (same) => Object.values(lexical).every((score) => Math.abs(score(same, same) - 1) < 1e-12)),
      { numRuns: 3_000, seed: 2 },
    );
  });

  test("F1, ROUGE-L, EM and Sub-EM are symmetric", () => {
    fc.assert(
      fc.property(text, text, (a, b) =>
        ["em", "f1", "sub_em", "rouge_l"].every(
          (name) => Math.abs(lexical[name]!(a, b) - lexical[name]!(b, a)) < 1e-12,
        ),
      ),
      { numRuns: 2_000, seed: 3 },
    );
  });
});

test("answers of other types become text, and absent stays absent", () => {
  expect([2022, 0, "x", ["a", 5], ["43"], true, null, undefined].map((value) => answerText(value))).toEqual([
    "2022",
    "0",
    "x",
    "a, 5",
    "43",
    "true",
    null,
    null,
  ]);
});
