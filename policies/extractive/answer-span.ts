/** The short answer in a statement: a date, a number, a name, a place; else the part that the question does not say itself. */
import { contentWords } from "./content-words.ts";
import { dateInWords } from "./dates-in-words.ts";
import type { Evidence } from "./evidence.ts";
import type { QuestionKind } from "./read-question.ts";

const NUMBER_WORD =
  "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|once|twice|a couple|several";
const AMOUNT =
  /[$€£¥]\s?\d[\d.,]*\d|[$€£¥]\s?\d|\d[\d.,]*\s?(?:dollars|euros|pounds|yuan|yen|bucks|cents)\b|\d[\d.,]*\s?[元€円]/i;
const PLAIN_NUMBER = new RegExp(`(?<![\\d-])\\d+(?:[.,]\\d+)*(?![\\d-])|\\b(?:${NUMBER_WORD})\\b`, "i");
const DURATION = new RegExp(
  `\\b(?:\\d+|an?|a few|${NUMBER_WORD}) (?:year|month|week|day|hour|minute|decade)s?(?: old| ago)?\\b`,
  "i",
);
const PLACE =
  /\b(?:in|at|to|from|near|around|visited|visiting) ((?:the )?\p{Lu}[\p{L}'’-]*(?:(?: of| de| the)? \p{Lu}[\p{L}'’-]*)*)/u;
const PLAIN_PLACE = /\b(?:in|at|to|from|near) ((?:the|a|an|my|our|his|her|their) [\p{L}-]+(?: [\p{L}-]+)?)/u;
// not at a sentence's start, where any word is capitalised; not an abbreviation
const NAME = /(?<=\S )\p{Lu}\p{Ll}[\p{L}'’-]*(?: \p{Lu}\p{Ll}[\p{L}'’-]*)*/gu;
const NEGATION = /\b(?:not|never|no longer|nobody|none)\b|n['’]t\b/i;

const LONGEST_ANSWER = 16;

export const holdsNumber = (text: string) => AMOUNT.test(text) || PLAIN_NUMBER.test(text);

export function answerSpan(question: string, kind: QuestionKind, evidence: Evidence): string {
  const { text, speaker, date } = evidence;
  switch (kind) {
    case "date":
      return dateInWords(text, date) ?? rest(question, text);
    case "duration":
      return DURATION.exec(text)?.[0] ?? rest(question, text);
    case "number":
      return number(clausesOf(question, text).best) ?? number(text) ?? rest(question, text);
    case "person":
      return person(question, text, speaker) ?? rest(question, text);
    case "place":
      return PLACE.exec(text)?.[1] ?? PLAIN_PLACE.exec(text)?.[1] ?? rest(question, text);
    case "yes-no":
      return NEGATION.test(text) ? "No" : "Yes";
    default:
      return rest(question, text);
  }
}

/** A name that the question does not hold; the speaker, when the statement names nobody. */
function person(question: string, text: string, speaker: string | null): string | null {
  const asked = new Set(contentWords(question));
  const isNew = (name: string) => contentWords(name).some((word) => !asked.has(word));
  const named = [...text.matchAll(NAME)].map((match) => match[0]).find((name) => name !== "I" && isNew(name));
  if (named !== undefined) return named;
  return speaker !== null && isNew(speaker) ? speaker : null;
}

const number = (text: string) => AMOUNT.exec(text)?.[0].trim() ?? PLAIN_NUMBER.exec(text)?.[0] ?? null;

/** The clause that shares most with the question, and the one after it. */
function clausesOf(question: string, text: string): { best: string; next: string | undefined } {
  const asked = new Set(contentWords(question));
  const clauses = text.split(/(?<=[,;:!?.。，；：！？]|\s[–—-])\s+/);
  const shared = clauses.map((clause) => contentWords(clause).filter((word) => asked.has(word)).length);
  const at = shared.indexOf(Math.max(...shared));
  return { best: clauses[at]!, next: clauses[at + 1] };
}

/** The best clause without the words at its ends that the question or any sentence has. */
function rest(question: string, text: string): string {
  const asked = new Set(contentWords(question));
  const { best, next } = clausesOf(question, text);
  // a clause that only repeats the question is answered by the next one
  const repeats = contentWords(best).every((word) => asked.has(word));
  const words = (repeats && next !== undefined ? next : best).split(/\s+/);
  const idle = (word: string) => contentWords(word).every((stem) => asked.has(stem));
  let from = 0;
  let to = words.length;
  while (from < to && idle(words[from]!)) from++;
  while (to > from && idle(words[to - 1]!)) to--;
  const kept = (from < to ? words.slice(from, to) : words).slice(0, LONGEST_ANSWER).join(" ");
  return kept.replace(/^[\s"“'(]+|[\s"”'),;:.!?。，；：！？–—-]+$/g, "") || text;
}
