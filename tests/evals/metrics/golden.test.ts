import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { answerText } from "../../../evals/metrics/answer-text.ts";
import { scoreExactMatch } from "../../../evals/metrics/exact-match.ts";
import { extractAnswer } from "../../../evals/metrics/extract-answer.ts";
import { scoreKeywordHitRate } from "../../../evals/metrics/keyword-hit-rate.ts";
import { normalizeAnswer } from "../../../evals/metrics/normalize.ts";
import { scoreRougeL } from "../../../evals/metrics/rouge-l.ts";
import { scoreSubEm } from "../../../evals/metrics/sub-em.ts";
import { scoreTokenF1 } from "../../../evals/metrics/token-f1.ts";

const published = { profile: "uma-code" } as const;
const golden = <T>(name: string): T =>
  JSON.parse(readFileSync(new URL(`../../golden/${name}`, import.meta.url), "utf8")) as T;

interface MetricGolden {
  vectors: {
    prediction: string;
    answer: string;
    norm_prediction: string;
    norm_answer: string;
    em: number;
    f1: number;
    precision: number;
    recall: number;
    subem: number;
    rougeL: number;
  }[];
  keyword_vectors: { prediction: string; answer: string; keyword_hit_rate: number }[];
  none_handling: {
    expected: unknown;
    response: unknown;
    metrics: Record<"precision" | "recall" | "f1_score" | "exact_match" | "sub_em" | "rouge_score", number>;
  }[];
}

describe("the published evaluator's numbers, by the uma-code profile", () => {
  const { vectors, keyword_vectors: keywords, none_handling: coercions } = golden<MetricGolden>("metric_vectors.json");

  test("the golden file holds what was counted when it was made", () => {
    expect([vectors.length, keywords.length, coercions.length]).toEqual([57, 6, 3]);
  });

  test.each(vectors)("App. K: $prediction against $answer", (vector) => {
    const { prediction, answer } = vector;
    expect(normalizeAnswer(prediction, published)).toBe(vector.norm_prediction);
    expect(normalizeAnswer(answer, published)).toBe(vector.norm_answer);
    expect(scoreExactMatch(prediction, answer, published)).toBe(vector.em);
    const { f1, precision, recall } = scoreTokenF1(prediction, answer, published);
    expect(f1).toBeCloseTo(vector.f1, 12);
    expect(precision).toBeCloseTo(vector.precision, 12);
    expect(recall).toBeCloseTo(vector.recall, 12);
    expect(scoreSubEm(prediction, answer, published)).toBe(vector.subem);
    expect(scoreRougeL(prediction, answer, published)).toBeCloseTo(vector.rougeL, 12);
  });

  test.each(keywords)("keyword hit rate: $prediction against $answer", (vector) => {
    expect(scoreKeywordHitRate(vector.prediction, vector.answer, published)).toBeCloseTo(vector.keyword_hit_rate, 12);
  });

  test.each(coercions)("an answer of another type than text: $expected", (vector) => {
    const prediction = answerText(vector.response, published)!;
    const answer = answerText(vector.expected, published)!;
    const overlap = scoreTokenF1(prediction, answer, published);
    expect({
      precision: overlap.precision,
      recall: overlap.recall,
      f1_score: overlap.f1,
      exact_match: scoreExactMatch(prediction, answer, published),
      sub_em: scoreSubEm(prediction, answer, published),
      rouge_score: scoreRougeL(prediction, answer, published),
    }).toEqual({
      precision: vector.metrics.precision,
      recall: vector.metrics.recall,
      f1_score: vector.metrics.f1_score,
      exact_match: vector.metrics.exact_match,
      sub_em: vector.metrics.sub_em,
      rouge_score: vector.metrics.rouge_score,
    });
  });

  const { eval_extraction: extractions } = golden<{ eval_extraction: { response: string; extracted: string }[] }>(
    "reward_extract_vectors.json",
  );

  test("all 24 extractions", () => {
    expect(extractions).toHaveLength(24);
    for (const { response, extracted } of extractions) expect(extractAnswer(response, published)).toBe(extracted);
  });
});
