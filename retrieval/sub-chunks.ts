/**
 * Sub-chunks: the documents that phase II searches. A context's chunks are made for reading; retrieval works on finer
 * pieces of at most 1,000 characters, packed greedily at line ends (UMA App. A.2 says only "raw context chunks").
 *
 * A line that is longer is cut at the last sentence end in the second half of the room, else after the last word, else
 * between graphemes. Only a single grapheme longer than the room is cut inside, and then between code points.
 * Blank pieces are left out and the text of a piece has no blank lines or line ends around it, but `start` and `end`
 * always are its true place: `text === chunks[chunk].slice(start, end)`.
 */
import { UmaError } from "../base/errors.ts";

export interface SubChunk {
  /** "c3.0": chunk 3, part 0. */
  readonly id: string;
  /** Position among all sub-chunks of the context. */
  readonly index: number;
  /** 0-based chunk. */
  readonly chunk: number;
  /** UTF-16 offsets in the chunk, end excluded. */
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** `first`: the number of the first chunk and sub-chunk, when these chunks follow others. */
export function subChunks(
  chunks: readonly string[],
  maxChars = 1000,
  first: { readonly chunk: number; readonly index: number } = { chunk: 0, index: 0 },
): SubChunk[] {
  if (!Number.isSafeInteger(maxChars) || maxChars < 2) {
    throw new UmaError("config", `maxChars: expected a whole number of 2 or more, got ${maxChars}`, {
      fix: "1000 is usual",
    });
  }
  const found: SubChunk[] = [];
  chunks.forEach((text, offset) => {
    const chunk = first.chunk + offset;
    let part = 0;
    for (const [start, end] of packedLines(text, maxChars)) {
      const piece = text.slice(start, end);
      const lead = piece.match(/^(?:\s*[\r\n])?/)![0].length;
      const kept = piece.slice(lead).trimEnd();
      if (kept === "") continue;
      const from = start + lead;
      const index = first.index + found.length;
      found.push({ id: `c${chunk}.${part++}`, index, chunk, start: from, end: from + kept.length, text: kept });
    }
  });
  return found;
}

/** Cuts [start, end) that leave out only blanks; each is at most maxChars long, not counting line ends at its end. */
function* packedLines(text: string, maxChars: number): Generator<[number, number]> {
  let start = 0;
  let lineStart = 0;
  while (lineStart < text.length) {
    const contentEnd = endOfLine(text, lineStart);
    const lineEnd = contentEnd + lineBreak(text, contentEnd);
    if (contentEnd - start > maxChars && start < lineStart) {
      yield [start, lineStart];
      start = lineStart;
    }
    while (contentEnd - start > maxChars) {
      const cut = cutLine(text, start, maxChars);
      yield [start, cut];
      start = cut + blanksAt(text, cut);
    }
    lineStart = lineEnd;
  }
  if (start < text.length) yield [start, text.length];
}

function endOfLine(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === 10 || unit === 13) return at;
  }
  return text.length;
}

function lineBreak(text: string, at: number): number {
  if (text.startsWith("\r\n", at)) return 2;
  return at < text.length ? 1 : 0;
}

/** Blanks between two pieces of a line; not the one that carries a combining mark. */
const innerBlanks = /[^\S\r\n]*(?![\p{M}\u200d])/uy;

function blanksAt(text: string, at: number): number {
  innerBlanks.lastIndex = at;
  return innerBlanks.exec(text)?.[0].length ?? 0;
}

const sentenceEnds = /[.!?…]["'”’)\]]*\s+|[。！？]["'”’」』）]*\s*/g;

/** Where to end a piece of a line that starts at `start` and has more than maxChars left. */
function cutLine(text: string, start: number, maxChars: number): number {
  const room = text.slice(start, start + maxChars);
  let sentence = 0;
  for (const match of room.matchAll(sentenceEnds)) sentence = match.index + match[0].length;
  const word = /\s/.test(text.charAt(start + maxChars)) ? maxChars : room.search(/\s\S*$/) + 1;
  const wanted = sentence > maxChars / 2 ? sentence : room.slice(0, word).trim() === "" ? maxChars : word;
  return graphemeEnd(text, start, start + wanted) ?? graphemeEnd(text, start, start + maxChars) ?? inside();

  function inside() {
    const cut = start + maxChars;
    const splitsPair = /[\ud800-\udbff]/.test(text.charAt(cut - 1)) && /[\udc00-\udfff]/.test(text.charAt(cut));
    return splitsPair ? cut - 1 : cut;
  }
}

const graphemes = new Intl.Segmenter("und", { granularity: "grapheme" });

/** The last grapheme boundary in (start, cut], if there is one; `start` must be a boundary. */
function graphemeEnd(text: string, start: number, cut: number): number | undefined {
  // only the cluster around the cut matters, so a little context after it is enough
  const boundary = graphemes.segment(text.slice(start, cut + 64)).containing(cut - start)?.index ?? cut - start;
  return boundary > 0 ? start + boundary : undefined;
}
