/** The best k of many scores without sorting them all: a heap of k whose root is the worst kept. */
import type { Hit } from "./retriever.ts";

/**
 * Best first, equal scores by the lower position. `scores` is read at `positions`, or at 0..count-1 when a count is
 * given; NaN is never a hit.
 */
export function topHits(scores: Float64Array | Float32Array, positions: Uint32Array | number, topK: number): Hit[] {
  const count = typeof positions === "number" ? positions : positions.length;
  const kept = new Uint32Array(Math.min(topK, count));
  let size = 0;

  const worse = (a: number, b: number) => scores[a]! < scores[b]! || (scores[a]! === scores[b]! && a > b);
  const siftUp = (from: number) => {
    for (let child = from; child > 0; ) {
      const parent = (child - 1) >> 1;
      if (!worse(kept[child]!, kept[parent]!)) return;
      [kept[child], kept[parent]] = [kept[parent]!, kept[child]!];
      child = parent;
    }
  };
  const siftDown = () => {
    for (let parent = 0; ; ) {
      let worst = parent;
      const left = 2 * parent + 1;
      if (left < size && worse(kept[left]!, kept[worst]!)) worst = left;
      if (left + 1 < size && worse(kept[left + 1]!, kept[worst]!)) worst = left + 1;
      if (worst === parent) return;
      [kept[parent], kept[worst]] = [kept[worst]!, kept[parent]!];
      parent = worst;
    }
  };

  let entry = Number.NEGATIVE_INFINITY; // what a full heap asks of a newcomer
  for (let i = 0; i < count && kept.length > 0; i++) {
    const index = typeof positions === "number" ? i : positions[i]!;
    const score = scores[index]!;
    if (!(score >= entry)) continue; // also NaN
    if (size < kept.length) {
      kept[size] = index;
      siftUp(size++);
    } else if (worse(kept[0]!, index)) {
      kept[0] = index;
      siftDown();
    }
    if (size === kept.length) entry = scores[kept[0]!]!;
  }
  return Array.from(kept.subarray(0, size))
    .sort((a, b) => scores[b]! - scores[a]! || a - b)
    .map((index) => ({ index, score: scores[index]! }));
}

/** The order of every list of hits, for code that merges lists. */
export const bestFirst = (a: Hit, b: Hit): number => b.score - a.score || a.index - b.index;
