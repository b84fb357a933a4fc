/** Reading a bank. Lookups are O(log n), listings O(n) over the titles. */
import type { Entry, Version, Writer } from "./entry.ts";
import { chain, entryOf, type Link, ordinalOf, textOf } from "./link.ts";
import { type TrieLeaf, trieGet, trieLeaves, trieRuns } from "./ordinal-trie.ts";
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
  if (filter === "") {
    for (const run of limit > 0 ? trieRuns(bank.live) : []) {
      for (const link of run) if (titles.length < limit) titles.push(textOf(link).title);
      if (titles.length >= limit) break;
    }
    return { titles, total: bank.size };
  }
  let total = 0;
  for (const leaf of trieLeaves(bank.live, (parent) => titlesBelow(parent).includes(filter))) {
    if (!titlesIn(leaf).includes(filter)) continue;
    for (const link of leaf) {
      if (link === undefined) continue;
      const { title } = textOf(link);
      if (!title.includes(filter)) continue;
      total++;
      if (titles.length < limit) titles.push(title);
    }
  }
  return { titles, total };
}

const joined = new WeakMap<TrieLeaf<Link>, string>();

/**
 * The titles of a leaf as one text, kept with it: most leaves hold no match, and one search over their text says so, an
 * order of magnitude faster than walking to sixteen titles. Between two listings only leaves that were written to are new.
 */
function titlesIn(leaf: TrieLeaf<Link>): string {
  let text = joined.get(leaf);
  if (text === undefined) {
    text = leaf.map((link) => (link === undefined ? "" : textOf(link).title)).join("\n");
    joined.set(leaf, text);
  }
  return text;
}

const joinedBelow = new WeakMap<readonly (TrieLeaf<Link> | undefined)[], string>();

/** The same one level up: one search rules out a few hundred titles at a time. */
function titlesBelow(parent: readonly (TrieLeaf<Link> | undefined)[]): string {
  let text = joinedBelow.get(parent);
  if (text === undefined) {
    text = parent.map((leaf) => (leaf === undefined ? "" : titlesIn(leaf))).join("\n");
    joinedBelow.set(parent, text);
  }
  return text;
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

/** Who created an entry, and who wrote the version that a write replaced (null for an add). Null for a write that is not in the bank. */
export function writeLineage(
  bank: Bank,
  write: Pick<Version, "entry" | "version">,
): { readonly origin: Writer; readonly previous: Writer | null } | null {
  const ordinal = ordinalOf(write.entry);
  if (ordinal === null) return null;
  let link = trieGet(bank.live, ordinal) ?? trieGet(bank.gone, ordinal) ?? null;
  while (link !== null && link.version.version !== write.version) link = link.previous;
  return link && { origin: link.first.by, previous: link.previous?.version.by ?? null };
}
