/**
 * Token precision, recall and F1 (UMA App. K): overlap of the two *multisets* of normalised tokens.
 *
 * Where neither text has a token, `uma-code` gives 0; the default gives 1 when they are the same text.
 */
import type { Metric } from "../benchmark.ts";
import { extractAnswer } from "./extract-answer.ts";
import { answerTokens, scoreWithoutTokens } from "./normalize.ts";
import type { ProfileOptions } from "./profile.ts";

export interface Overlap {
  readonly precision: number;
  readonly recall: number;
  readonly f1: number;
}

export function scoreTokenF1(prediction: string, gold: string, options: ProfileOptions = {}): Overlap {
  const predicted = answerTokens(prediction, options);
  const expected = answerTokens(gold, options);
  if (options.profile !== "uma-code") {
    const settled = scoreWithoutTokens(prediction, gold, predicted.length, expected.length);
    if (settled !== null) return { precision: settled, recall: settled, f1: settled };
  }
  return overlapScores(countCommon(predicted, expected), predicted.length, expected.length);
}

/** How many tokens the two lists share, each counted as often as it stands in both. */
export function countCommon(left: readonly string[], right: readonly string[]): number {
  const free = new Map<string, number>();
  for (const token of right) free.set(token, (free.get(token) ?? 0) + 1);
  let common = 0;
  for (const token of left) {
    const count = free.get(token) ?? 0;
    if (count === 0) continue;
    free.set(token, count - 1);
    common++;
  }
  return common;
}

/** Precision, recall and their harmonic mean from a number of shared tokens; all 0 when nothing is shared. */
export function overlapScores(common: number, predicted: number, expected: number): Overlap {
  if (common === 0) return { precision: 0, recall: 0, f1: 0 };
  return { precision: common / predicted, recall: common / expected, f1: (2 * common) / (predicted + expected) };
}

export const tokenF1: Metric = {
  name: "f1",
  score: (prediction, question) =>
    question.answer === null ? null : scoreTokenF1(extractAnswer(prediction), question.answer).f1,
};
