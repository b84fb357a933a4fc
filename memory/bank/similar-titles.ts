/**
 * "Did you mean": the titles closest to one that is not there.
 *
 * Closeness is the Dice coefficient over letter pairs, letters folded to lower case without accents, so case, spacing
 * and single typos cost little. The work is bounded: of a large bank only the newest and the oldest titles are compared.
 */
import { textOf } from "./link.ts";
import { trieRuns } from "./ordinal-trie.ts";
import type { Bank } from "./value.ts";

const MOST_COMPARED_AT_EACH_END = 500;
const LONGEST_COMPARED = 80;
const LEAST_SIMILAR = 0.3;

/** At most `limit` titles, closest first; of equally close ones the older first. Empty when nothing is close. */
export function similarTitles(bank: Bank, title: string, limit: number): string[] {
  const similarity = similarityTo(title);
  const close = candidates(bank)
    .map((candidate) => ({ candidate, similarity: similarity(candidate) }))
    .filter((scored) => scored.similarity >= LEAST_SIMILAR);
  // sort is stable: ties stay in bank order
  close.sort((one, other) => other.similarity - one.similarity);
  return close.slice(0, Math.max(0, limit)).map(({ candidate }) => candidate);
}

function candidates(bank: Bank): string[] {
  const oldest = take(bank, MOST_COMPARED_AT_EACH_END, false);
  const rest = Math.min(MOST_COMPARED_AT_EACH_END, bank.size - oldest.length);
  return [...oldest, ...take(bank, rest, true).reverse()];
}

function take(bank: Bank, count: number, newestFirst: boolean): string[] {
  const titles: string[] = [];
  for (const run of trieRuns(bank.live, newestFirst)) {
    if (titles.length >= count) break;
    for (const link of run) titles.push(textOf(link).title);
  }
  return titles.slice(0, Math.max(0, count));
}

/** 2 · shared pairs / all pairs, in [0, 1]. */
function similarityTo(wanted: string): (title: string) => number {
  const wantedPairs = letterPairs(wanted);
  const slots = new Map<number, number>();
  const counts: number[] = [];
  for (const pair of wantedPairs) {
    const slot = slots.get(pair) ?? slots.size;
    slots.set(pair, slot);
    counts[slot] = (counts[slot] ?? 0) + 1;
  }
  const left = new Uint16Array(counts.length);
  return (title) => {
    const pairs = letterPairs(title);
    left.set(counts);
    let shared = 0;
    for (const pair of pairs) {
      const slot = slots.get(pair);
      if (slot === undefined || left[slot] === 0) continue;
      left[slot]!--;
      shared++;
    }
    return (2 * shared) / Math.max(1, wantedPairs.length + pairs.length);
  };
}

/** Framed by blanks, so that first and last letters weigh as much as the others; separators are one blank. */
function letterPairs(title: string): number[] {
  const cut = title.slice(0, LONGEST_COMPARED);
  const letters = ascii.test(cut) ? cut : cut.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  const pairs: number[] = [];
  let previous = BLANK;
  for (let at = 0; at <= letters.length; at++) {
    const unit = at === letters.length ? BLANK : letters.charCodeAt(at);
    const letter = foldedAscii[unit] ?? unit;
    if (letter === BLANK && previous === BLANK) continue;
    pairs.push(previous * 0x10000 + letter);
    previous = letter;
  }
  return pairs;
}

const BLANK = 0x20;
const ascii = /^[\0-\x7f]*$/;
const foldedAscii = Uint8Array.from({ length: 0x80 }, (_, unit) => {
  const letter = String.fromCharCode(unit);
  return /[\s_\-./:]/.test(letter) ? BLANK : letter.toLowerCase().charCodeAt(0);
});
