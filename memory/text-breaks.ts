/** Where a reader would cut a text: at the end of a paragraph, a line, a sentence, a word; else between graphemes. */
import { lastGraphemeBoundary } from "./graphemes.ts";

/**
 * The best cut in (start, end], by one pass over that range. A paragraph's end is best, then a line's, then a
 * sentence's; the better kind wins as long as it keeps half of the range, so that a title line is not cut off alone.
 * `start` is a grapheme boundary; so is the result, which goes beyond `end` only when one grapheme does.
 */
export function bestBreak(text: string, start: number, end: number): number {
  const { paragraph, line, sentence, word } = lastBreaks(text, start, end);
  const half = start + (end - start) / 2;
  const late = [paragraph, line, sentence].find((at) => at > start && at >= half);
  const at = late ?? [Math.max(paragraph, line, sentence), word].find((early) => early > start) ?? end;
  // also for the chosen break: a combining mark may follow its space
  return lastGraphemeBoundary(text, start, at);
}

/** The last end of each kind in (start, end]; `start` where there is none. White space stays with what stands before it. */
function lastBreaks(text: string, start: number, end: number) {
  const last = { paragraph: start, line: start, sentence: start, word: start };
  let lineIsBlank = false;
  let sentenceEnded = false;
  /** The sentence ended with a full-width mark, which needs no white space after it. */
  let endedWide = false;
  for (let at = start; at < end; at++) {
    const unit = text.charCodeAt(at);
    if (isLineEnd(text, at, unit)) {
      if (lineIsBlank) last.paragraph = at + 1;
      last.line = at + 1;
      lineIsBlank = true;
      sentenceEnded = endedWide = false;
    } else if (isSpace(unit)) {
      endedWide = false;
      last.word = at + 1;
      if (sentenceEnded) last.sentence = at + 1;
    } else {
      const terminates = wideTerminators.has(unit) || terminators.has(unit);
      const closes = closers.has(unit);
      sentenceEnded = terminates || (closes && sentenceEnded);
      endedWide = wideTerminators.has(unit) || (endedWide && (terminates || closes));
      // \r of \r\n belongs to the line end that follows
      if (unit !== CARRIAGE_RETURN) lineIsBlank = false;
      if (endedWide && !isEnding(text.charCodeAt(at + 1))) last.sentence = at + 1;
    }
  }
  return last;
}

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

function isLineEnd(text: string, at: number, unit: number): boolean {
  if (unit === LINE_FEED || unit === 0x2028 || unit === 0x2029) return true;
  return unit === CARRIAGE_RETURN && text.charCodeAt(at + 1) !== LINE_FEED;
}

/** Blanks at which a line may be broken: not the no-break spaces. */
function isSpace(unit: number): boolean {
  if (unit < 0x1680) return unit === 0x20 || unit === 0x09 || unit === 0x0b || unit === 0x0c;
  return unit === 0x1680 || (unit >= 0x2000 && unit <= 0x200a && unit !== 0x2007) || unit === 0x205f || unit === 0x3000;
}

const units = (characters: string) => new Set([...characters].map((character) => character.charCodeAt(0)));
const terminators = units(".!?…؟।۔");
const wideTerminators = units("。！？．｡");
const closers = units("\"'”’»)]}」』）】》〉");

const isEnding = (unit: number) => terminators.has(unit) || wideTerminators.has(unit) || closers.has(unit);
