/**
 * Which legacy charset bytes are in, when they are not UTF-8: a guess is only made when it is safe.
 *
 * Every candidate decodes a sample. Two things are asked of the result: do its words look like words (no symbols or
 * capitals inside them, one script per word), and how well do its letter sequences fit a language. chardet's n-grams
 * answer the second; charsets it does not know (Mac, DOS) are re-encoded into the one whose languages they share, so that
 * all are measured on one scale. The thresholds were set on some 4,700 re-encoded samples of 128–300 bytes (17 languages,
 * 21 charsets): three in four were decided, none of them wrongly.
 */
import chardet from "chardet";
import { decodeExactly } from "./charsets.ts";
import { judgeWords } from "./judge-words.ts";

export interface Detection {
  /** Null when no guess is safe. */
  readonly charset: string | null;
  /** Best first; for the message when nothing is safe. */
  readonly candidates: readonly string[];
}

/** Fewest bytes, and fewest non-ASCII letters among them, from which a guess is made. */
const smallest = 128;
const fewestLetters = 6;
const floor = 25;
/** By how much a guess must lead the next different text; more while there are few words to judge by. */
const margin = 10;
const fewWords = 12;
const marginOfFew = 25;
/** Share of odd-looking words that rules a candidate out, and what each percent below it costs. */
const mostOddWords = 0.1;
const oddWordCost = 200;

/** `base` is the charset in which chardet (by either of `names`) knows the languages of `members`. */
const families: readonly { base: string; names: readonly string[]; members: readonly string[] }[] = [
  {
    base: "windows-1251",
    names: ["windows-1251"],
    members: ["windows-1251", "koi8-r", "koi8-u", "ibm866", "x-mac-cyrillic", "iso-8859-5"],
  },
  { base: "windows-1252", names: ["ISO-8859-1", "windows-1252"], members: ["windows-1252", "macintosh"] },
  { base: "iso-8859-2", names: ["ISO-8859-2", "windows-1250"], members: ["windows-1250", "iso-8859-2"] },
  { base: "windows-1254", names: ["ISO-8859-9", "windows-1254"], members: ["windows-1254"] },
  { base: "iso-8859-7", names: ["ISO-8859-7", "windows-1253"], members: ["windows-1253", "iso-8859-7"] },
  { base: "windows-1255", names: ["ISO-8859-8", "windows-1255"], members: ["windows-1255", "iso-8859-8"] },
  { base: "windows-1256", names: ["windows-1256"], members: ["windows-1256", "iso-8859-6"] },
  { base: "windows-1257", names: ["windows-1257"], members: ["windows-1257"] },
  { base: "windows-1258", names: ["windows-1258"], members: ["windows-1258"] },
];
const doubleByte: readonly [name: string, charset: string][] = [
  ["EUC-KR", "euc-kr"],
  ["GB18030", "gb18030"],
  ["Big5", "big5"],
  ["Shift_JIS", "shift_jis"],
  ["EUC-JP", "euc-jp"],
];

export function detectCharset(bytes: Uint8Array): Detection {
  if (hasOnlyTypography(bytes)) return { charset: "windows-1252", candidates: ["windows-1252"] };
  const sample = sampleOf(bytes);
  const scored = candidatesOf(sample)
    .map((one) => ({ ...one, words: judgeWords(one.text) }))
    .filter(({ words }) => words.odd <= mostOddWords)
    .map((one) => ({ ...one, score: one.confidence - oddWordCost * one.words.odd }))
    .sort((a, b) => b.score - a.score); // stable: of charsets that give the same text the first listed, windows-125x, wins
  const candidates = scored.slice(0, 3).map(({ charset }) => charset);
  const [best] = scored;
  const tooLittle = sample.length < smallest || (best?.words.letters ?? 0) < fewestLetters;
  if (best === undefined || tooLittle || best.score < floor) return { charset: null, candidates };
  // charsets that give the same text do not compete
  const rival = scored.find((one) => one.text !== best.text);
  const lead = rival === undefined ? Number.POSITIVE_INFINITY : best.score - rival.score;
  return { charset: lead >= (best.words.count < fewWords ? marginOfFew : margin) ? best.charset : null, candidates };
}

/**
 * ASCII with the curly quotes, dashes, ellipsis and no-break space of a Windows word processor: those bytes mean the same
 * in all of windows-125x, and rule every other charset out in practice.
 */
function hasOnlyTypography(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte < 0x80 || (byte >= 0x91 && byte <= 0x97) || byte === 0x85 || byte === 0xa0);
}

function candidatesOf(sample: Uint8Array): { charset: string; text: string; confidence: number }[] {
  const single = families.flatMap(({ base, names, members }) =>
    members.flatMap((charset) => {
      const text = decodeExactly(sample, charset);
      if (text === null) return [];
      const known = charset === base ? sample : encodeSingleByte(text, base);
      return [{ charset, text, confidence: confidenceOf(known, names) }];
    }),
  );
  const direct = chardet.analyse(sample);
  const double = doubleByte.flatMap(([name, charset]) => {
    // the sample may end inside a character
    const text = decodeExactly(sample, charset, { partial: true });
    const confidence = direct.find((match) => match.name === name)?.confidence ?? 0;
    return text === null ? [] : [{ charset, text, confidence }];
  });
  return [...single, ...double];
}

function confidenceOf(bytes: Uint8Array, names: readonly string[]): number {
  const found = chardet.analyse(bytes).filter((match) => names.includes(match.name));
  return Math.max(0, ...found.map((match) => match.confidence));
}

/** Lines with non-ASCII bytes, which alone can tell: up to 4 kB of them from each quarter of the input. */
function sampleOf(bytes: Uint8Array): Uint8Array {
  const [quarters, size] = [4, 4_096];
  if (bytes.length <= quarters * size) return bytes;
  const pieces: Uint8Array[] = [];
  for (let quarter = 0; quarter < quarters; quarter++) {
    const end = Math.floor((bytes.length / quarters) * (quarter + 1));
    let at = Math.floor((bytes.length / quarters) * quarter);
    if (quarter > 0) at = bytes.indexOf(0x0a, at) + 1 || end;
    for (let room = size; room > 0 && at < end; ) {
      while (at < end && bytes[at]! < 0x80) at++;
      if (at >= end) break;
      const lineStart = bytes.lastIndexOf(0x0a, at) + 1;
      const lineEnd = bytes.indexOf(0x0a, at) + 1 || bytes.length;
      // of a long line the part from its first non-ASCII byte, which begins a character
      const from = at - lineStart <= room / 2 ? lineStart : at;
      const to = Math.min(lineEnd, from + room);
      pieces.push(bytes.subarray(from, to));
      // cut inside a line, maybe inside a character: nothing may follow
      if (to < lineEnd) return Buffer.concat(pieces);
      room -= to - from;
      at = to;
    }
  }
  return Buffer.concat(pieces);
}

const encoders = new Map<string, ReadonlyMap<string, number>>();

/** Characters outside the charset become spaces: they only cost confidence. */
function encodeSingleByte(text: string, charset: string): Uint8Array {
  let encoder = encoders.get(charset);
  if (encoder === undefined) {
    const table = Array.from(
      { length: 256 },
      (_, byte) => [decodeExactly(Uint8Array.of(byte), charset), byte] as const,
    );
    encoder = new Map(table.flatMap(([char, byte]) => (char === null ? [] : [[char, byte] as const])));
    encoders.set(charset, encoder);
  }
  return Uint8Array.from(text, (char) => encoder.get(char) ?? 0x20);
}
