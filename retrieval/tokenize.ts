/**
 * Analysers: how a text becomes the terms that an index counts.
 *
 * `word`: runs of letters and numbers of any script, with the marks that belong to them. Compatibility forms are
 * unified (NFKC: full-width digits, ligatures), case is lowered, and the accents U+0300 to U+036F are dropped, so that
 * "Café" is found by "cafe" and "ё" by "е". Marks outside that block (Devanagari vowels, Arabic vocalisation, dakuten)
 * carry meaning and stay. Final sigma equals sigma.
 *
 * `cjk`: the same, and in Chinese, Japanese and Korean text, where words are not separated, every character and every
 * pair of neighbours is a term. Equal to `word` on text without these scripts, hence the default.
 *
 * `rank-bm25`: what the published harness does: lower case, drop everything but word characters and blanks, split at
 * blanks ("3,000" becomes "3000"). For comparison only.
 */
import { UmaError } from "../base/errors.ts";

export type Term = string | number;
/** Pure: equal texts give equal terms. */
export type Analyser = (text: string) => readonly Term[];
export type AnalyserName = keyof typeof analysers;

const asciiOnly = /^[\0-\x7f]*$/;
const asciiWord = /[a-z0-9]+/g;
const anyWord = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu;
const accents = /[\u0300-\u036f]+/g;
const cjkScripts = "\\p{scx=Han}\\p{scx=Hiragana}\\p{scx=Katakana}\\p{scx=Hangul}";
const cjkRuns = new RegExp(`[${cjkScripts}]+|[^${cjkScripts}]+`, "gu");
const hasCjk = new RegExp(`[${cjkScripts}]`, "u");

export const word = (text: string): readonly string[] => {
  if (asciiOnly.test(text)) return text.toLowerCase().match(asciiWord) ?? [];
  return fold(text).match(anyWord) ?? [];
};

export const cjk = (text: string): readonly string[] => {
  const words = word(text);
  return hasCjk.test(text) ? words.flatMap(characterPairs) : words;
};

export const rankBm25 = (text: string): readonly string[] =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_\s]/gu, "")
    .split(/\s+/)
    .filter((token) => token !== "");

export const analysers = { word, cjk, "rank-bm25": rankBm25 } as const;

export function analyserOf(given: AnalyserName | Analyser): Analyser {
  if (typeof given === "function") return given;
  if (Object.hasOwn(analysers, given)) return analysers[given];
  throw new UmaError("config", `analyser: expected one of ${Object.keys(analysers).join(", ")}, got "${given}"`, {
    fix: "name one of these or pass a function from text to terms",
  });
}

function fold(text: string): string {
  return text
    .normalize("NFKD")
    .replace(accents, "")
    .normalize("NFC")
    .toLowerCase()
    .replace(accents, "")
    .replaceAll("ς", "σ");
}

function characterPairs(token: string): string[] {
  return (token.match(cjkRuns) ?? []).flatMap((run) => {
    if (!hasCjk.test(run)) return [run];
    const characters = Array.from(run);
    return [...characters, ...characters.slice(1).map((character, i) => characters[i]! + character)];
  });
}
