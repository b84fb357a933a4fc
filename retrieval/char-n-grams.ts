/**
 * Hashed character n-grams: an analyser that sees parts of words ("adopted" and "adoption", typing errors, scripts
 * without blanks). Counted by BM25 it is the third voice of the hybrid; about six times the postings of whole words, so
 * it is an option.
 *
 * Words come from the `word` analyser and get a blank at either end, so that starts and ends are features too.
 */
import { UmaError } from "../base/errors.ts";
import { type Analyser, word } from "./tokenize.ts";

export interface NGramOptions {
  /** Shortest and longest n-gram, in UTF-16 units. */
  readonly shortest?: number;
  readonly longest?: number;
}

/** Hash space: at this size collisions cost no measurable recall. A power of two. */
const buckets = 1 << 18;

export function charNGrams(options: NGramOptions = {}): Analyser {
  const { shortest = 3, longest = 4 } = options;
  if (!(Number.isSafeInteger(shortest) && Number.isSafeInteger(longest) && shortest >= 1 && longest >= shortest)) {
    throw new UmaError("config", `n-grams: expected lengths 1 ≤ shortest ≤ longest, got ${shortest} and ${longest}`);
  }
  return (text) => {
    const grams: number[] = [];
    for (const token of word(text)) {
      const padded = ` ${token} `;
      for (let start = 0; start + shortest <= padded.length; start++) {
        const end = Math.min(padded.length, start + longest);
        let hash = 0x811c9dc5; // FNV-1a, 32 bits
        for (let at = start; at < end; at++) {
          hash = Math.imul(hash ^ padded.charCodeAt(at), 0x01000193);
          if (at - start + 1 >= shortest) grams.push((hash ^ (hash >>> 15)) & (buckets - 1));
        }
      }
    }
    return grams;
  };
}
