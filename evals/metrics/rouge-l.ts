/**
 * ROUGE-L F-measure on normalised texts, with stemming (UMA App. K: RougeScorer("rougeL", use_stemmer=True)).
 *
 * The longest common subsequence of the two word lists, as precision and recall. Words longer than three letters are
 * stemmed. `uma-code` cuts words at everything but a–z and 0–9, as RougeScorer does, so a text in another script has none
 * and scores 0 against itself; the default knows the words of every script and keeps numbers whole.
 */
import type { Metric } from "../benchmark.ts";
import { extractAnswer } from "./extract-answer.ts";
import { normalizeAnswer, scoreWithoutTokens } from "./normalize.ts";
import { porterStem } from "./porter-stemmer.ts";
import type { ProfileOptions } from "./profile.ts";
import { overlapScores } from "./token-f1.ts";
import { wordTokens } from "./word-tokens.ts";

export function scoreRougeL(prediction: string, gold: string, options: ProfileOptions = {}): number {
  const predicted = stemmedWords(prediction, options);
  const expected = stemmedWords(gold, options);
  if (options.profile !== "uma-code") {
    const settled = scoreWithoutTokens(prediction, gold, predicted.length, expected.length);
    if (settled !== null) return settled;
  }
  return overlapScores(commonSubsequence(predicted, expected), predicted.length, expected.length).f1;
}

function stemmedWords(text: string, options: ProfileOptions): string[] {
  const normalized = normalizeAnswer(text, options);
  const words = options.profile === "uma-code" ? (normalized.match(/[a-z0-9]+/g) ?? []) : wordTokens(normalized);
  return words.map((word) => (word.length > 3 ? porterStem(word) : word));
}

/** Length of the longest common subsequence, one row of the table at a time. */
export function commonSubsequence(left: readonly string[], right: readonly string[]): number {
  let above = new Uint32Array(right.length + 1);
  for (const token of left) {
    const row = new Uint32Array(right.length + 1);
    for (let j = 1; j <= right.length; j++)
      row[j] = token === right[j - 1] ? above[j - 1]! + 1 : Math.max(above[j]!, row[j - 1]!);
    above = row;
  }
  return above[right.length]!;
}

export const rougeL: Metric = {
  name: "rouge_l",
  score: (prediction, question) =>
    question.answer === null ? null : scoreRougeL(extractAnswer(prediction), question.answer),
};
