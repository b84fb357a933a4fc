/**
 * One write, linked to the write before it: on the same entry and in the whole bank.
 *
 * Both chains share their tails with every other snapshot, so recording a write is O(1) however long the history is. An
 * `Entry` is a view that is made from its newest link when someone asks, so snapshots keep no copies of it.
 */
import type { Entry, Lineage, Text, Version, Writer } from "./entry.ts";

export interface Link {
  readonly version: Version;
  /** The write before this one on the same entry. */
  readonly previous: Link | null;
  /** The write before this one in the bank. */
  readonly earlier: Link | null;
  /** The write that created the entry. */
  readonly first: Version;
}

/** The n-th entry ever created (from 0) is called `e<n + 1>`. */
export const idOf = (ordinal: number) => `e${ordinal + 1}`;

/** The inverse of `idOf`; null for anything that it does not make. */
export function ordinalOf(id: string): number | null {
  return /^e[1-9][0-9]{0,8}$/.test(id) ? Number(id.slice(1)) - 1 : null;
}

/** The text of a live entry's newest link. */
export function textOf(link: Link): Text {
  return link.version.after!;
}

export function entryOf(link: Link): Entry {
  const { title, content } = textOf(link);
  const { entry: id, version } = link.version;
  return Object.freeze({ id, title, content, version, lineage: lineageOf(link) });
}

function lineageOf(link: Link): Lineage {
  const origin = link.first.by;
  if (link.previous === null) return Object.freeze({ origin, touches: none });
  return Object.defineProperty({ origin }, "touches", {
    enumerable: true,
    configurable: true,
    get(this: Lineage) {
      const touches = Object.freeze(chain(link, (held) => held.version.by).slice(1));
      Object.defineProperty(this, "touches", { value: touches, enumerable: true, configurable: false });
      return touches;
    },
  }) as Lineage;
}

const none: readonly Writer[] = Object.freeze([]);

/** Everything that was ever written to the entry, oldest first. */
export function chain<T>(newest: Link, pick: (link: Link) => T): T[] {
  const picked: T[] = [];
  for (let link: Link | null = newest; link !== null; link = link.previous) picked.push(pick(link));
  return picked.reverse();
}
