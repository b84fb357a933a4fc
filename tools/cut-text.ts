/** The longest beginning or end of a text that fits a token limit, cut between grapheme clusters. */

export type CountTokens = (text: string) => number;

/**
 * The largest n in [0, size] for which `fits(n)` holds, when it holds up to some n and not beyond; 0 is taken to fit.
 * Looks near `guess` first and grows from there, so that a huge text is not measured whole to keep a little of it.
 */
export function longestFit(size: number, fits: (n: number) => boolean, guess = size): number {
  let good = 0;
  let bad = size + 1;
  for (let next = Math.min(size, Math.max(1, guess)); bad - good > 1; ) {
    if (fits(next)) good = next;
    else bad = next;
    next = bad > size ? Math.min(size, next * 2) : (good + bad) >> 1;
  }
  return good;
}

/** Most tokens are shorter than this many characters. */
const CHARACTERS_PER_TOKEN = 8;

/** The longest beginning of `text` with at most `maxTokens`, together with what `suffix` makes of its length. */
export function keepStart(
  text: string,
  maxTokens: number,
  countTokens: CountTokens,
  suffix: (kept: number) => string = () => "",
): string {
  const fits = (kept: number) => countTokens(text.slice(0, kept) + suffix(kept)) <= maxTokens;
  const kept = boundaryBefore(text, longestFit(text.length, fits, maxTokens * CHARACTERS_PER_TOKEN));
  return text.slice(0, kept) + suffix(kept);
}

/** The longest end of `text` with at most `maxTokens`; empty when there is no room for anything. */
export function keepEnd(text: string, maxTokens: number, countTokens: CountTokens): string {
  if (maxTokens <= 0) return "";
  const fits = (kept: number) => countTokens(text.slice(text.length - kept)) <= maxTokens;
  const start = text.length - longestFit(text.length, fits, maxTokens * CHARACTERS_PER_TOKEN);
  return text.slice(boundaryAfter(text, start));
}

const graphemes = new Intl.Segmenter("und", { granularity: "grapheme" });

function boundaryBefore(text: string, at: number): number {
  if (at <= 0 || at >= text.length) return at;
  return clusterAt(text, at).start;
}

function boundaryAfter(text: string, at: number): number {
  if (at <= 0 || at >= text.length) return at;
  const { start, end } = clusterAt(text, at);
  return start === at ? at : end;
}

/** The cluster that holds the unit at `at`. Clusters are found from an anchor nearby, not from the beginning of the text. */
function clusterAt(text: string, at: number): { start: number; end: number } {
  let anchor = Math.max(0, at - 1);
  // every unit below U+0300 but \n begins a cluster; rows of emoji longer than this are not worth walking back through
  while (anchor > 0 && at - anchor < 256 && (text.charCodeAt(anchor) >= 0x300 || text[anchor] === "\n")) anchor--;
  const { index, segment } = graphemes.segment(text.slice(anchor, at + 64)).containing(at - anchor)!;
  return { start: anchor + index, end: anchor + index + segment.length };
}
