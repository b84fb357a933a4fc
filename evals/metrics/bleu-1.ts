/**
 * BLEU-1 against the one gold answer, unsmoothed: clipped unigram precision times the brevity penalty.
 *
 *   p₁ = Σ_w min(count_prediction(w), count_gold(w)) / c      BP = 1 if c ≥ r, else exp(1 − r/c)      BLEU-1 = BP · p₁
 *
 * with c and r the lengths of prediction and gold in words of the normalised texts, unstemmed. Not in the paper's
 * appendix; reported because other work on LoCoMo does. Tokenisers and smoothing differ between publications, so compare
 * it only with numbers made here.
 */
import type { Metric } from "../benchmark.ts";
import { extractAnswer } from "./extract-answer.ts";
import { normalizeAnswer, scoreWithoutTokens } from "./normalize.ts";
import { countCommon } from "./token-f1.ts";
import { wordTokens } from "./word-tokens.ts";

export function scoreBleu1(prediction: string, gold: string): number {
  const predicted = wordTokens(normalizeAnswer(prediction));
  const expected = wordTokens(normalizeAnswer(gold));
  const settled = scoreWithoutTokens(prediction, gold, predicted.length, expected.length);
  if (settled !== null) return settled;
  const brevity = Math.min(1, Math.exp(1 - expected.length / predicted.length));
  return (brevity * countCommon(predicted, expected)) / predicted.length;
}

export const bleu1: Metric = {
  name: "bleu_1",
  score: (prediction, question) =>
    question.answer === null ? null : scoreBleu1(extractAnswer(prediction), question.answer),
};
