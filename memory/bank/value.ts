/** The bank as a value: nothing in it is ever changed, so a snapshot or a branch is the variable that holds it. */
import type { Link } from "./link.ts";
import { emptyTrie, type OrdinalTrie } from "./ordinal-trie.ts";
import { emptyIndex, type TitleIndex } from "./title-index.ts";

/** Titled entries in insertion order with their whole history. Opaque: use the functions of `memory/bank.ts`. */
export interface Bank {
  readonly size: number;
  /** Title → creation ordinal, of the live entries. */
  readonly titles: TitleIndex;
  /** Creation ordinal → newest write, of the live entries; ascending is insertion order. */
  readonly live: OrdinalTrie<Link>;
  /** Creation ordinal → the delete, of the entries that are gone. */
  readonly gone: OrdinalTrie<Link>;
  /** How many entries were ever created. */
  readonly created: number;
  /** The newest write of all. */
  readonly last: Link | null;
}

export const emptyBank: Bank = Object.freeze({
  size: 0,
  titles: emptyIndex,
  live: emptyTrie,
  gone: emptyTrie,
  created: 0,
  last: null,
});
