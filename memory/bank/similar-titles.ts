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
  const wanted = pairCounts(fold(title));
  const close = candidates(bank)
    .map((candidate) => ({ candidate, similarity: dice(wanted, fold(candidate)) }))
    .filter(({ similarity }) => similarity >= LEAST_SIMILAR);
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

/** Framed by blanks so that first and last letters weigh as much as the others. */
function fold(title: string): string {
  const bare = title.slice(0, LONGEST_COMPARED).normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  return ` ${bare.replace(/[\s_\-./:]+/g, " ").trim()} `;
}

const pairAt = (text: string, at: number) => text.charCodeAt(at) * 0x10000 + text.charCodeAt(at + 1);

interface PairCounts {
  readonly counts: ReadonlyMap<number, number>;
  readonly total: number;
}

function pairCounts(text: string): PairCounts {
  const counts = new Map<number, number>();
  for (let at = 0; at + 1 < text.length; at++) counts.set(pairAt(text, at), (counts.get(pairAt(text, at)) ?? 0) + 1);
  return { counts, total: text.length - 1 };
}

/** 2 · shared pairs / all pairs, in [0, 1]. */
function dice(wanted: PairCounts, text: string): number {
  const left = new Map(wanted.counts);
  let shared = 0;
  for (let at = 0; at + 1 < text.length; at++) {
    const count = left.get(pairAt(text, at)) ?? 0;
    if (count === 0) continue;
    left.set(pairAt(text, at), count - 1);
    shared++;
  }
  return (2 * shared) / (wanted.total + text.length - 1);
}
