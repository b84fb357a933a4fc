/** Reading a bank. Lookups are O(log n), listings O(n) over the titles. */
import type { Entry, Version } from "./entry.ts";
import { chain, entryOf, type Link, ordinalOf, textOf } from "./link.ts";
import { trieGet, trieRuns } from "./ordinal-trie.ts";
import { candidates } from "./title-index.ts";
import type { Bank } from "./value.ts";

export function bankSize(bank: Bank): number {
  return bank.size;
}

export function getEntry(bank: Bank, title: string): Entry | undefined {
  const link = findLink(bank, title);
  return link && entryOf(link);
}

export function findLink(bank: Bank, title: string): Link | undefined {
  if (typeof title !== "string") return undefined;
  for (const ordinal of candidates(bank.titles, title)) {
    const link = trieGet(bank.live, ordinal)!;
    if (textOf(link).title === title) return link;
  }
  return undefined;
}

/**
 * Titles in insertion order: those that contain `filter` (case-sensitive; all without one), at most `limit` of them.
 * `total` counts every match.
 */
export function listTitles(
  bank: Bank,
  options: { readonly filter?: string | undefined; readonly limit?: number | undefined } = {},
): { titles: string[]; total: number } {
  const { filter = "", limit = Number.POSITIVE_INFINITY } = options;
  const titles: string[] = [];
  let total = 0;
  for (const run of trieRuns(bank.live)) {
    for (const link of run) {
      const { title } = textOf(link);
      if (!title.includes(filter)) continue;
      total++;
      if (titles.length < limit) titles.push(title);
    }
    if (filter === "" && titles.length >= limit) return { titles, total: bank.size };
  }
  return { titles, total };
}

/** Live entries in insertion order. */
export function* entriesOf(bank: Bank): Generator<Entry> {
  for (const run of trieRuns(bank.live)) for (const link of run) yield entryOf(link);
}

/** Every write since the bank was empty, oldest first. */
export function* journalOf(bank: Bank): Generator<Version> {
  const newestFirst: Version[] = [];
  for (let link = bank.last; link !== null; link = link.earlier) newestFirst.push(link.version);
  for (let at = newestFirst.length - 1; at >= 0; at--) yield newestFirst[at]!;
}

/** Every write to one entry, oldest first, also when it is deleted; empty for an id that was never given. */
export function versionsOf(bank: Bank, entryId: string): readonly Version[] {
  const ordinal = ordinalOf(entryId);
  if (ordinal === null) return [];
  const newest = trieGet(bank.live, ordinal) ?? trieGet(bank.gone, ordinal);
  return newest === undefined ? [] : chain(newest, (link) => link.version);
}
