/** Where a text may be cut without tearing a grapheme cluster (UAX #29), by `Intl.Segmenter` over short windows. */

const segmenter = new Intl.Segmenter("und", { granularity: "grapheme" });

/**
 * The largest boundary in (from, at]; when the cluster at `from` reaches beyond `at`, its end. `from` is a boundary.
 *
 * Whether a cluster ends at a position depends on everything to its left (flags pair up from the first of a row) and on
 * the one code point to its right, so the window is all of [from, at] and one code point more.
 */
export function lastGraphemeBoundary(text: string, from: number, at: number): number {
  if (at >= text.length) return text.length;
  const last = from + clusterStart(text.slice(from, at + 2), at - from);
  return last > from ? last : clusterEnd(text, from);
}

/** Whether joining two texts keeps a boundary between them. */
export function isBoundaryBetween(left: string, right: string): boolean {
  if (left === "" || right === "") return true;
  const before = left.charCodeAt(left.length - 1);
  const after = right.charCodeAt(0);
  // most seams: nothing below U+0300 extends or is extended but \r\n
  if (before < 0x300 && after < 0x300) return !(before === 0x0d && after === 0x0a);
  return clusterStart(left + right.slice(0, 2), left.length) === left.length;
}

const clusterStart = (text: string, at: number) => segmenter.segment(text).containing(at)!.index;

function clusterEnd(text: string, from: number): number {
  for (let length = 32; ; length *= 2) {
    const window = text.slice(from, from + length);
    const end = segmenter.segment(window).containing(0)!.segment.length;
    // the last cluster of a window may go on behind it
    if (end < window.length) return from + end;
    if (from + length >= text.length) return text.length;
  }
}
