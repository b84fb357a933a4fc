/**
 * The string that the lexical metrics compare (UMA App. K): lower case, ASCII punctuation deleted, whitespace collapsed.
 * Articles stay; there is no Unicode, morphological or semantic normalisation.
 *
 * `uma-code` deletes every mark, so 171.49 and 17149, -5 and 5, "3-5" and "35" become equal. `default` keeps a mark that
 * belongs to a number: one between two digits (171.49, 2024-01-05, 10:30, 1/2), a sign or a point in front of one (-5,
 * .5). A comma that groups thousands goes (1,234 is 1234); any other comma between digits separates (7,2023 is "7 2023").
 */
import type { ProfileOptions } from "./profile.ts";

// what Python's str.split() splits at; JavaScript's \s lacks the separators 1C–1F and 85, and has FEFF
const blanks = /[\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/gu;
const anyMark = /[!-/:-@[-`{-~]/g;
const digitRun = /(?<![\d.])\d[\d,]*/g;
const groupedThousands = /^\d{1,3}(?:,\d{3})+,*$/;
const commaBetweenDigits = /(?<=\d),(?=\d)/g;
const markOutsideNumbers =
  /(?!(?<=\d)[!-/:-@[-`{-~](?=\d)|(?<![^\s([{$])-(?=\$?\.?\d)|(?<![^\s([{$-])\.(?=\d))[!-/:-@[-`{-~]/g;

export function normalizeAnswer(text: string, options: ProfileOptions = {}): string {
  const lower = text.toLowerCase();
  const bare =
    options.profile === "uma-code"
      ? lower.replace(anyMark, "")
      : lower
          .replace(digitRun, (run) => (groupedThousands.test(run) ? withoutGrouping(run) : run))
          .replace(commaBetweenDigits, " ")
          .replace(markOutsideNumbers, "");
  return collapseBlanks(bare);
}

/** The whitespace-delimited tokens of the normalised text. */
export function answerTokens(text: string, options: ProfileOptions = {}): string[] {
  const normalized = normalizeAnswer(text, options);
  return normalized === "" ? [] : normalized.split(" ");
}

/**
 * The score of two texts of which at least one has nothing left to compare: 1 when the originals are the same text
 * ("???" twice, or both blank), else 0. Null when both have something.
 */
export function scoreWithoutTokens(prediction: string, gold: string, left: number, right: number): number | null {
  if (left > 0 && right > 0) return null;
  return left === right && collapseBlanks(prediction) === collapseBlanks(gold) ? 1 : 0;
}

const collapseBlanks = (text: string): string => text.replace(blanks, " ").replace(/^ | $/g, "");

// a comma at the end of the run is the text's own
const withoutGrouping = (run: string): string => run.replace(/,(?=\d)/g, "");
