/**
 * Substring exact match (UMA App. K): one normalised text stands inside the other, whichever is the shorter.
 *
 * `uma-code` takes any run of characters, so "comparison" holds "Paris", 120.00 holds 0.00, and an empty prediction holds
 * in every answer. The default asks for whole words and whole numbers (scripts written without blanks have a boundary at
 * every character), and an empty text matches only an empty one.
 */
import type { Metric } from "../benchmark.ts";
import { extractAnswer } from "./extract-answer.ts";
import { normalizeAnswer, scoreWithoutTokens } from "./normalize.ts";
import type { ProfileOptions } from "./profile.ts";

export function scoreSubEm(prediction: string, gold: string, options: ProfileOptions = {}): number {
  const predicted = normalizeAnswer(prediction, options);
  const expected = normalizeAnswer(gold, options);
  if (options.profile === "uma-code") return predicted.includes(expected) || expected.includes(predicted) ? 1 : 0;
  const settled = scoreWithoutTokens(prediction, gold, predicted.length, expected.length);
  if (settled !== null) return settled;
  return holdsWhole(predicted, expected) || holdsWhole(expected, predicted) ? 1 : 0;
}

function holdsWhole(text: string, part: string): boolean {
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + 1))
    if (isBoundary(text, at) && isBoundary(text, at + part.length)) return true;
  return false;
}

// of the ASCII marks only those inside numbers survive normalisation
const joining = /^[\p{L}\p{M}\p{N}!-/:-@[-`{-~]$/u;
const unspaced = /^[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]$/u;

function isBoundary(text: string, at: number): boolean {
  const before = [...text.slice(Math.max(0, at - 2), at)].at(-1) ?? "";
  const after = [...text.slice(at, at + 2)][0] ?? "";
  if (!joining.test(before) || !joining.test(after)) return true;
  return unspaced.test(before) || unspaced.test(after);
}

export const subEm: Metric = {
  name: "sub_em",
  score: (prediction, question) =>
    question.answer === null ? null : scoreSubEm(extractAnswer(prediction), question.answer),
};
