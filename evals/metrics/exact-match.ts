/**
 * Exact match (UMA App. K): the two *sets* of normalised tokens are equal, order and repetition ignored.
 *
 * Unlike `uma-code`, the default does not equate two different texts that consist of punctuation only.
 */
import type { Metric } from "../benchmark.ts";
import { extractAnswer } from "./extract-answer.ts";
import { answerTokens, scoreWithoutTokens } from "./normalize.ts";
import type { ProfileOptions } from "./profile.ts";

export function scoreExactMatch(prediction: string, gold: string, options: ProfileOptions = {}): number {
  const predicted = new Set(answerTokens(prediction, options));
  const expected = new Set(answerTokens(gold, options));
  if (options.profile !== "uma-code") {
    const settled = scoreWithoutTokens(prediction, gold, predicted.size, expected.size);
    if (settled !== null) return settled;
  }
  return predicted.size === expected.size && [...predicted].every((token) => expected.has(token)) ? 1 : 0;
}

export const exactMatch: Metric = {
  name: "em",
  score: (prediction, question) =>
    question.answer === null ? null : scoreExactMatch(extractAnswer(prediction), question.answer),
};
