/** Finds what money is spent on: words of the lexicon with their article, and categories named in full ("Dining - Coffee"). */
import { lexicon, longestTerm, type Term } from "./lexicon.ts";
import { type Scene, type Subscene, sceneOf, scenes, taxonomy } from "./taxonomy.ts";

/** Something that money is spent on. */
export interface Thing {
  readonly scene: Scene;
  readonly subscene: Subscene;
  /** The words for it, without article; "" when the category itself was named. */
  readonly words: string;
}

/** A thing and where it stands, its article included. */
export interface Mention {
  readonly thing: Thing;
  readonly start: number;
  readonly end: number;
  readonly rank: number;
}

/** A named category outranks every word. */
const labelRank = 100;
const byLabel = new Map(
  scenes.flatMap((scene) =>
    taxonomy[scene].map((subscene): [string, Thing] => [
      `${scene} - ${subscene}`.toLowerCase(),
      { scene, subscene, words: "" },
    ]),
  ),
);
// longer names first: "books & materials" before "books"
const label = new RegExp([...byLabel.keys()].sort((a, b) => b.length - a.length).join("|"), "g");

/** Categories that a lower-case text names in full, in order. */
export const labelsIn = (text: string): Thing[] =>
  text.includes(" - ") ? [...text.matchAll(label)].map(([found]) => byLabel.get(found)!) : [];

/** The one thing that a text names, or null. */
export const thingIn = (text: string): Thing | null => bestOf(mentionsIn(text.toLowerCase()));

/** The thing of the highest rank, the first of equals. */
export function bestOf(mentions: readonly Mention[]): Thing | null {
  let top: Mention | null = null;
  for (const mention of mentions) if (top === null || mention.rank > top.rank) top = mention;
  return top?.thing ?? null;
}

/** All things named in a lower-case text, without overlaps, in order. */
export function mentionsIn(text: string): Mention[] {
  const labels: Mention[] = [];
  const rest = !text.includes(" - ")
    ? text
    : text.replace(label, (found: string, start: number) => {
        labels.push({ thing: byLabel.get(found)!, start, end: start + found.length, rank: labelRank });
        return "|".repeat(found.length);
      });
  const mentions = wordedIn(rest);
  return labels.length === 0 ? mentions : [...labels, ...mentions].sort((a, b) => a.start - b.start);
}

function wordedIn(text: string): Mention[] {
  const mentions: Mention[] = [];
  const words = wordsOf(text);
  for (let i = 0; i < words.length; i++) {
    const term = longestAt(text, words, i);
    if (!term) continue;
    const first = words[i]!;
    const last = words[i + term.words - 1]!;
    const article = articleBefore(text, words, i);
    i += term.words - 1;
    if (article === "time") continue;
    const mention: Mention = {
      thing: {
        scene: sceneOf(term.subscene),
        subscene: term.subscene,
        words: text.slice(article?.end ?? first.start, last.end).trim(),
      },
      start: article?.start ?? first.start,
      end: last.end,
      rank: term.rank,
    };
    const before = mentions.at(-1);
    if (!before || mention.start > before.end + 1) mentions.push(mention);
    // one compound, "oat-milk cappuccino": the last word says what it is
    else mentions[mentions.length - 1] = mention.rank >= before.rank ? mention : { ...before, end: last.end };
  }
  return mentions;
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

/** The longest term whose first word is word `at`. */
function longestAt(text: string, words: readonly Word[], at: number): Term | null {
  let joined = words[at]!.text;
  let found = lexicon.get(joined) ?? null;
  for (let last = at + 1; last < words.length && last < at + longestTerm; last++) {
    if (!isJoined(text, words[last - 1]!, words[last]!)) break;
    joined += ` ${words[last]!.text}`;
    found = lexicon.get(joined) ?? found;
  }
  return found;
}

const articles = new Set(["a", "an", "the", "some", "my", "our"]);
const prepositions = new Set(["for", "of", "on", "from", "to", "at", "with", "in", "about", "into", "under", "and"]);
/** "before lunch" says when. */
const timeWords = new Set(["before", "after", "during", "since", "until"]);
const longestPhrase = 5;

/** The article of the noun phrase that word `at` belongs to, or null; "time" when the phrase only says when. */
function articleBefore(text: string, words: readonly Word[], at: number): Word | "time" | null {
  for (let i = at - 1; i >= 0 && at - i <= longestPhrase && isJoined(text, words[i]!, words[i + 1]!); i--) {
    const { text: before } = words[i]!;
    if (articles.has(before)) return words[i]!;
    if (timeWords.has(before)) return "time";
    if (prepositions.has(before)) return null;
  }
  return null;
}
