/**
 * From a title to its entry: a persistent hash map from the title's hash to creation ordinals.
 *
 * Titles are hashed here and not by immutable, which keeps long strings in a cache that is slow to fill and in which the
 * title `propertyIsEnumerable` finds Object.prototype's method instead of a hash.
 */
import { Map as PersistentMap } from "immutable";

/** Titles with one hash share a list. */
export type TitleIndex = PersistentMap<number, number | readonly number[]>;

export const emptyIndex: TitleIndex = PersistentMap();

/** The ordinals of all titles with this title's hash, nearly always none or one. */
export function candidates(index: TitleIndex, title: string): readonly number[] {
  const held = index.get(hash(title));
  return held === undefined ? none : typeof held === "number" ? [held] : held;
}

export function withTitle(index: TitleIndex, title: string, ordinal: number): TitleIndex {
  const held = candidates(index, title);
  return index.set(hash(title), held.length === 0 ? ordinal : [...held, ordinal]);
}

export function withoutTitle(index: TitleIndex, title: string, ordinal: number): TitleIndex {
  const left = candidates(index, title).filter((held) => held !== ordinal);
  if (left.length === 0) return index.delete(hash(title));
  return index.set(hash(title), left.length === 1 ? left[0]! : left);
}

const none: readonly number[] = [];

/** FNV-1a over the code units with MurmurHash3's last mix; 30 bits, what the map tells apart. */
function hash(title: string): number {
  let mixed = 0x811c9dc5;
  for (let at = 0; at < title.length; at++) mixed = Math.imul(mixed ^ title.charCodeAt(at), 0x01000193);
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 2;
}
