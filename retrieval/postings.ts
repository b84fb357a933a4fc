/**
 * The inverted index under every lexical list: for each term the documents that hold it, in rising order, with counts.
 *
 * All lists live in one Uint32Array as pairs (document, count). A list that outgrows its room moves to the end with
 * twice the room; when too much of the array is dead or spare it is packed again. Because documents only ever get rising
 * positions, "the index as it was after n documents" is a prefix of every list, found by binary search.
 */
import type { Term } from "./tokenize.ts";

export interface Postings {
  /** The pairs; read again after every `add` (it grows). */
  readonly pairs: Uint32Array;
  /** Terms that at least one document holds, in the order of their first appearance. */
  readonly terms: ReadonlyMap<Term, number>;
  /** Offset of a term's first pair. */
  start(id: number): number;
  /** How many documents below `visible` hold the term. */
  documents(id: number, visible: number): number;
  /** `document` must be above every document that was added before. */
  add(document: number, counts: ReadonlyMap<Term, number>): void;
  /** Gives back room that many additions left unused. */
  settle(): void;
  /** Leaves no trace of them: neither their pairs nor terms that only they held. */
  remove(documents: ReadonlySet<number>): void;
}

export function createPostings(): Postings {
  let pairs = new Uint32Array(1024);
  let used = 0;
  let live = 0;
  const terms = new Map<Term, number>();
  const starts: number[] = [];
  const lengths: number[] = [];
  const rooms: number[] = [];

  const moveTo = (target: Uint32Array, id: number, offset: number, room: number) => {
    target.set(pairs.subarray(starts[id]!, starts[id]! + 2 * lengths[id]!), offset);
    starts[id] = offset;
    rooms[id] = room;
  };
  /** Rewrites every list with room for a quarter more; also what erases removed pairs from the array. */
  const pack = () => {
    const roomOf = (id: number) => Math.floor(1.25 * lengths[id]!);
    let total = 0;
    for (const id of terms.values()) total += 2 * roomOf(id);
    const packed = new Uint32Array(Math.max(1024, total));
    let offset = 0;
    for (const id of terms.values()) {
      const room = roomOf(id);
      moveTo(packed, id, offset, room);
      offset += 2 * room;
    }
    pairs = packed;
    used = offset;
  };
  const grow = (id: number) => {
    const room = Math.max(1, 2 * rooms[id]!);
    if (used + 2 * room > pairs.length) {
      const larger = new Uint32Array(Math.max(Math.ceil(1.5 * pairs.length), used + 2 * room));
      larger.set(pairs.subarray(0, used));
      pairs = larger;
    }
    moveTo(pairs, id, used, room);
    used += 2 * room;
  };
  /** Number of pairs of the term whose document is below `bound`. */
  const below = (id: number, bound: number) => {
    let low = 0;
    let high = lengths[id]!;
    const start = starts[id]!;
    if (high > 0 && pairs[start + 2 * (high - 1)]! < bound) return high;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (pairs[start + 2 * middle]! < bound) low = middle + 1;
      else high = middle;
    }
    return low;
  };

  return {
    get pairs() {
      return pairs;
    },
    terms,
    start: (id) => starts[id]!,
    documents: below,
    add(document, counts) {
      for (const [term, count] of counts) {
        let id = terms.get(term);
        if (id === undefined) {
          id = starts.length;
          terms.set(term, id);
          starts.push(used);
          lengths.push(0);
          rooms.push(0);
        }
        if (lengths[id] === rooms[id]) grow(id);
        const at = starts[id]! + 2 * lengths[id]!;
        pairs[at] = document;
        pairs[at + 1] = count;
        lengths[id]!++;
        live += 2;
      }
    },
    settle() {
      // far above what packing leaves, so that a stream of small additions packs rarely
      if (pairs.length > Math.max(4096, 3 * live)) pack();
    },
    remove(documents) {
      for (const [term, id] of terms) {
        const start = starts[id]!;
        const end = start + 2 * lengths[id]!;
        let to = start;
        for (let from = start; from < end; from += 2) {
          if (documents.has(pairs[from]!)) continue;
          pairs[to] = pairs[from]!;
          pairs[to + 1] = pairs[from + 1]!;
          to += 2;
        }
        lengths[id] = (to - start) / 2;
        live -= end - to;
        if (to === start) terms.delete(term);
      }
      pack();
    },
  };
}
