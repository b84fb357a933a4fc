/**
 * One utterance taken apart: dates, amounts, things, and the shape that is left when they are taken out.
 *
 * "Sorry, the latte on 2024-03-05 was 4.50, not 5.40." has the shape "sorry, ~ on @ was #, not #.". Acts are told from
 * shapes, so that no word of a thing ("a full checkup") is taken for a word about it ("a full refund").
 */
import { mayHoldAmount, takeAmounts } from "./amounts.ts";
import { takeDates } from "./dates.ts";
import { lexicon, longestTerm } from "./lexicon.ts";
import { type Scene, type Subscene, sceneOf, scenes, taxonomy } from "./taxonomy.ts";

/** Something that money is spent on. */
export interface Thing {
  readonly scene: Scene;
  readonly subscene: Subscene;
  /** The words for it, without article; "" when the category itself was named. */
  readonly words: string;
}

export interface Sentence {
  /** Lower case, with @ for a date, # for an amount, ~ for a thing. */
  readonly shape: string;
  readonly dates: readonly string[];
  /** Integer cents. */
  readonly amounts: readonly number[];
  /** The thing that goes with each amount; a list of one when the sentence is about one thing or has fewer amounts. */
  readonly things: readonly (Thing | null)[];
}

interface Mention {
  readonly thing: Thing;
  readonly start: number;
  readonly end: number;
  readonly rank: number;
}

/** A named category outranks every word. */
const labelRank = 100;
const label = new RegExp(
  `(?:${scenes.map((scene) => `${scene} - (?:${[...taxonomy[scene]].sort((a, b) => b.length - a.length).join("|")})`).join("|")})`.toLowerCase(),
  "g",
);
const byLabel = new Map(
  scenes.flatMap((scene) =>
    taxonomy[scene].map((subscene): [string, Thing] => [
      `${scene} - ${subscene}`.toLowerCase(),
      { scene, subscene, words: "" },
    ]),
  ),
);

/** null when the text has no amount and no date, so that it can change nothing by itself. */
export function readSentence(text: string): Sentence | null {
  const lower = text.toLowerCase();
  if (!mayHoldAmount(lower)) return null;
  const { text: undated, dates } = takeDates(lower.replace(/[@#~]/g, " "), "@");
  const { text: bare, amounts } = takeAmounts(undated, "#");
  if (amounts.length === 0 && dates.length === 0) return null;
  const mentions = mentionsIn(bare);
  const things = amounts.length < 2 || dates.length > 0 ? [best(mentions)] : thingPerAmount(bare, mentions);
  return { shape: shapeOf(bare, mentions), dates, amounts, things };
}

/** The one thing that a text names, or null. */
export const thingIn = (text: string): Thing | null => best(mentionsIn(text.toLowerCase()));

/** Category names with the amount that each goes with, as an assistant's acknowledgement gives them. */
export function labelsWithAmounts(text: string): readonly { readonly thing: Thing; readonly cents: number }[] {
  const lower = text.toLowerCase();
  const labels = [...lower.matchAll(label)].map(([found]) => byLabel.get(found)!);
  const { amounts } = takeAmounts(lower, "#");
  return labels.length === amounts.length ? labels.map((thing, i) => ({ thing, cents: amounts[i]! })) : [];
}

/** All things named, without overlaps, in order. */
function mentionsIn(text: string): Mention[] {
  const mentions: Mention[] = [];
  if (text.includes(" - "))
    for (const match of text.matchAll(label)) {
      const end = match.index + match[0].length;
      mentions.push({ thing: byLabel.get(match[0])!, start: match.index, end, rank: labelRank });
    }
  const named = mentions.length;
  const words = wordsOf(text);
  for (let i = 0; i < words.length; i++) {
    const found = longestAt(text, words, i);
    if (!found) continue;
    const { term, last } = found;
    const start = words[i]!.start;
    const end = words[last]!.end;
    i = last;
    if (mentions.slice(0, named).some((mention) => start < mention.end && end > mention.start)) continue;
    const head = articleBefore(text, words, last - term.words + 1);
    if (head === "time") continue;
    const from = head?.end ?? start;
    const thing = { scene: sceneOf(term.subscene), subscene: term.subscene, words: text.slice(from, end).trim() };
    const mention: Mention = { thing, start: head?.start ?? start, end, rank: term.rank };
    const before = mentions.length > named ? mentions.at(-1) : undefined;
    if (!before || mention.start > before.end + 1) mentions.push(mention);
    // one compound, "oat-milk cappuccino": the last word says what it is
    else mentions[mentions.length - 1] = mention.rank >= before.rank ? mention : { ...before, end };
  }
  return named === 0 ? mentions : mentions.sort((a, b) => a.start - b.start);
}

interface Word {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

function wordsOf(text: string): Word[] {
  const words: Word[] = [];
  for (const match of text.matchAll(/[a-z]+/g))
    words.push({ text: match[0], start: match.index, end: match.index + match[0].length });
  return words;
}

const isJoined = (text: string, before: Word, after: Word) =>
  after.start === before.end + 1 && /[ \-'’]/.test(text[before.end]!);

function longestAt(text: string, words: readonly Word[], at: number) {
  let joined = "";
  let found: { term: NonNullable<ReturnType<typeof lexicon.get>>; last: number } | null = null;
  for (let last = at; last < words.length && last < at + longestTerm; last++) {
    if (last > at && !isJoined(text, words[last - 1]!, words[last]!)) break;
    joined = last === at ? words[last]!.text : `${joined} ${words[last]!.text}`;
    const term = lexicon.get(joined);
    if (term) found = { term, last };
  }
  return found;
}

const articles = new Set(["a", "an", "the", "some", "my", "our"]);
const prepositions = new Set(["for", "of", "on", "from", "to", "at", "with", "in", "about", "into", "under", "and"]);
/** "before lunch" says when. */
const timeWords = new Set(["before", "after", "during", "since", "until"]);

/** The article of the noun phrase that word `at` belongs to, or null; "time" when the phrase only says when. */
function articleBefore(text: string, words: readonly Word[], at: number): Word | "time" | null {
  for (let i = at - 1; i >= 0 && at - i <= 5 && isJoined(text, words[i]!, words[i + 1]!); i--) {
    const { text: before } = words[i]!;
    if (articles.has(before)) return words[i]!;
    if (timeWords.has(before)) return "time";
    if (prepositions.has(before)) return null;
  }
  return null;
}

function best(mentions: readonly Mention[]): Thing | null {
  let top: Mention | null = null;
  for (const mention of mentions) if (top === null || mention.rank > top.rank) top = mention;
  return top?.thing ?? null;
}

/** "a tea for # and a bus for #" or "# for a tea and # for a bus": each amount's thing stands on the same side of it. */
function thingPerAmount(text: string, mentions: readonly Mention[]): (Thing | null)[] {
  const marks = [...text.matchAll(/#/g)].map(({ index }) => index);
  const thingFirst = mentions.some(({ start }) => start < marks[0]!);
  const beside: Mention[][] = marks.map(() => []);
  let passed = 0;
  for (const mention of mentions) {
    while (passed < marks.length && marks[passed]! < mention.start) passed++;
    beside[thingFirst ? passed : passed - 1]?.push(mention);
  }
  return beside.map(best);
}

function shapeOf(text: string, mentions: readonly Mention[]): string {
  let shape = "";
  let at = 0;
  for (const { start, end } of mentions) {
    if (start < at) continue;
    shape += `${text.slice(at, start)}~`;
    at = end;
  }
  return shape + text.slice(at);
}
