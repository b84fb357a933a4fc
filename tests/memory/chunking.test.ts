import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { chunkMessages, chunkSessions, chunkText } from "../../memory/chunking.ts";

/** Very different ways to count, none of them additive but the first. */
const counters: Record<string, (text: string) => number> = {
  characters: (text) => text.length,
  quarters: (text) => Math.ceil(text.length / 4),
  words: (text) => text.match(/\S+/g)?.length ?? 0,
  bytes: (text) => Buffer.byteLength(text),
  codePoints: (text) => [...text].length,
  /** As from a tokenizer that adds marks of its own. */
  framed: (text) => 2 + Math.ceil(text.length / 3),
  /** Falls when a pair is completed. */
  notMonotone: (text) => text.length - 2 * (text.match(/\(.*?\)/gs)?.length ?? 0),
  /** Falls by far more when one is. */
  openCosts: (text) => text.length + (text.lastIndexOf("(") > text.lastIndexOf(")") ? 20 : 0),
  /** More than its parts. */
  superadditive: (text) => Math.ceil(text.length ** 1.3),
};
const counter = fc.constantFrom(...Object.entries(counters));

const oddPieces = [
  "word ",
  "A sentence. ",
  "Really?! ",
  '"Quoted." ',
  "我今天花了三百元。",
  "\n",
  "\r\n",
  "\r",
  "\n\n",
  "\n \t\r\n",
  "\u2028",
  " ",
  "\u3000",
  "e\u0301",
  " \u0301",
  ".\u0308 ",
  "👨‍👩‍👧‍👦",
  "🇩🇪",
  "🇫",
  "👍🏽",
  "🏴󠁧󠁢󠁥󠁮󠁧󠁿",
  "क्षि",
  "각",
  "ᄀ",
  "ำ",
  "\u0600",
  "\ud83d",
  "\ude00",
  "\0",
  "\u200d",
  "\ufeff",
  "(",
  ")",
  "mc²",
  `z${"\u0301".repeat(12)}`,
];
const oddText = fc
  .array(fc.oneof(fc.constantFrom(...oddPieces), fc.string({ unit: "binary", maxLength: 3 })), { maxLength: 60 })
  .map((pieces) => pieces.join(""));

const segmenter = new Intl.Segmenter("und", { granularity: "grapheme" });
const graphemesOf = (text: string) => Array.from(segmenter.segment(text), ({ segment }) => segment);

/** Ends of grapheme clusters, found over the whole text. */
function boundaries(text: string): Set<number> {
  const ends = new Set<number>();
  for (const { index, segment } of segmenter.segment(text)) ends.add(index + segment.length);
  return ends;
}

function endsOf(pieces: readonly string[]): number[] {
  let at = 0;
  return pieces.map((piece) => {
    at += piece.length;
    return at;
  });
}

function expectWhole(chunks: readonly string[], text: string, limit: number, count: (text: string) => number) {
  expect(chunks.join("")).toBe(text);
  const allowed = boundaries(text);
  for (const end of endsOf(chunks)) expect(allowed.has(end)).toBe(true);
  for (const chunk of chunks) {
    expect(chunk).not.toBe("");
    if (count(chunk) > limit) expect(graphemesOf(chunk)).toHaveLength(1);
  }
}

describe("chunkText", () => {
  it("gives the text back, tears no grapheme and keeps the limit, for any text and any way to count", () => {
    fc.assert(
      fc.property(oddText, fc.integer({ min: 1, max: 40 }), counter, (text, maxTokens, [, countTokens]) => {
        expectWhole(chunkText(text, { maxTokens, countTokens }), text, maxTokens, countTokens);
      }),
      { numRuns: 1_500, seed: 1 },
    );
  });

  const byLength = (maxTokens: number) => ({ maxTokens, countTokens: (text: string) => text.length });

  it("prefers the end of a paragraph, then of a line, a sentence, a word, a grapheme", () => {
    expect(chunkText("One. Two.\n\nThree.\nFour five", byLength(20))).toEqual(["One. Two.\n\n", "Three.\nFour five"]);
    expect(chunkText("One. Two.\nThree four five", byLength(17))).toEqual(["One. Two.\n", "Three four five"]);
    expect(chunkText("One two. Three four five six", byLength(15))).toEqual(["One two. ", "Three four ", "five six"]);
    expect(chunkText("alpha beta gamma", byLength(12))).toEqual(["alpha beta ", "gamma"]);
    expect(chunkText("abcdefgh", byLength(3))).toEqual(["abc", "def", "gh"]);
    expect(chunkText("我买了菜。我付了钱。真好", byLength(8))).toEqual(["我买了菜。", "我付了钱。真好"]);
  });

  it("does not cut off a short title only because a line ends there", () => {
    expect(chunkText("Title\nA first sentence. A second one follows.", byLength(30))).toEqual([
      "Title\nA first sentence. ",
      "A second one follows.",
    ]);
  });

  it("keeps the closing quote with its sentence and \\r\\n together", () => {
    expect(chunkText('He said "yes." She left.', byLength(18))).toEqual(['He said "yes." ', "She left."]);
    expect(chunkText("「はい。」彼は言った", byLength(7))).toEqual(["「はい。」", "彼は言った"]);
    for (let limit = 1; limit < 12; limit++) {
      for (const chunk of chunkText("ab\r\ncd\r\n\r\nef", byLength(limit))) expect(chunk).not.toMatch(/^\n|\r$/);
    }
  });

  it("leaves a single grapheme that is longer than the limit whole", () => {
    expect(chunkText("a👨‍👩‍👧‍👦b", byLength(2))).toEqual(["a", "👨‍👩‍👧‍👦", "b"]);
    const long = `e${"\u0301".repeat(5_000)}`;
    expect(chunkText(`x${long}y`, byLength(100))).toEqual(["x", long, "y"]);
  });

  it("pairs flags from the first of a row, however long the row is", () => {
    const flags = "🇩🇪".repeat(1_000);
    for (const limit of [5, 6, 7, 1_001]) {
      for (const chunk of chunkText(flags, byLength(limit))) expect(chunk.length % 4).toBe(0);
    }
  });

  it("goes back to an earlier break where a cut would hold more tokens than what fits", () => {
    const chunks = chunkText("one two (three four)xxxxxxxx", { maxTokens: 22, countTokens: counters.openCosts! });
    expect(chunks).toEqual(["one two ", "(three four)xxxxxxxx"]);
  });

  it("gives no chunk for no text and one for a text that fits", () => {
    expect(chunkText("", byLength(5))).toEqual([]);
    expect(chunkText("fits", byLength(4))).toEqual(["fits"]);
    expect(chunkText("fits", { maxTokens: 1, countTokens: () => 0 })).toEqual(["fits"]);
  });

  it("fills the chunks of a text without breaks nearly to the limit", () => {
    const chunks = chunkText("x".repeat(100_000), { maxTokens: 1_000, countTokens: counters.quarters! });
    for (const chunk of chunks.slice(0, -1)) expect(chunk.length).toBeGreaterThanOrEqual(3_800);
  });

  it.each([
    ["one line", "x".repeat(10_000_000)],
    ["words", "lorem ipsum dolor. ".repeat(520_000)],
    ["line ends", "\n".repeat(10_000_000)],
    ["dots", ".".repeat(10_000_000)],
    ["emoji", "👨‍👩‍👧‍👦".repeat(900_000)],
    ["lone surrogates", "\ud800".repeat(10_000_000)],
  ])("shows the counter a few times the text in all, in pieces about as long as a chunk (10 MB of %s)", (_, text) => {
    let shown = 0;
    let longest = 0;
    const countTokens = (piece: string) => {
      shown += piece.length;
      longest = Math.max(longest, piece.length);
      return Math.ceil(piece.length / 4);
    };
    const chunks = chunkText(text, { maxTokens: 4_000, countTokens });
    expect(chunks.join("") === text).toBe(true);
    expect(shown).toBeLessThan(4 * text.length);
    expect(longest).toBeLessThan(4 * 16_000);
  });

  it("finds its way in a text whose density of tokens jumps", () => {
    let shown = 0;
    const countTokens = (piece: string) => {
      shown += piece.length;
      return piece.match(/\S+/g)?.length ?? 0;
    };
    const text = `${"x".repeat(200_000)} ${"a ".repeat(50_000)}`.repeat(5);
    const chunks = chunkText(text, { maxTokens: 500, countTokens });
    expect(shown).toBeLessThan(10 * text.length);
    expect(chunks.join("") === text).toBe(true);
    for (const chunk of chunks) expect(countTokens(chunk)).toBeLessThanOrEqual(500);
  });

  it("refuses a limit below one token and a counter that does not count", () => {
    const countTokens = (text: string) => text.length;
    for (const maxTokens of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => chunkText("a", { maxTokens, countTokens })).toThrow("maxTokens must be a whole number");
    }
    for (const count of [Number.NaN, -1, undefined as unknown as number]) {
      expect(() => chunkText("a", { maxTokens: 5, countTokens: () => count })).toThrow("countTokens must return");
    }
  });
});

describe("chunkMessages", () => {
  const countTokens = (text: string) => text.length;

  it("packs whole messages and cuts only one that is too long alone", () => {
    expect(chunkMessages(["aa\n", "bb\n", "cc\n"], { maxTokens: 7, countTokens })).toEqual(["aa\nbb\n", "cc\n"]);
    expect(chunkMessages(["a\n", "one two three\n", "b\n"], { maxTokens: 8, countTokens })).toEqual([
      "a\n",
      "one two ",
      "three\n",
      "b\n",
    ]);
    expect(chunkMessages(["", "a", ""], { maxTokens: 8, countTokens })).toEqual(["a"]);
    expect(chunkMessages([], { maxTokens: 8, countTokens })).toEqual([]);
  });

  it("joins to the input, tears no grapheme at a seam and keeps the limit, for any messages and counters", () => {
    fc.assert(
      fc.property(
        fc.array(oddText, { maxLength: 12 }),
        fc.integer({ min: 1, max: 60 }),
        counter,
        (messages, maxTokens, [, count]) => {
          expectWhole(chunkMessages(messages, { maxTokens, countTokens: count }), messages.join(""), maxTokens, count);
        },
      ),
      { numRuns: 800, seed: 2 },
    );
  });

  it("does the same for one text cut into messages anywhere, also within a surrogate pair", () => {
    const cutText = oddText.chain((text) =>
      fc
        .array(fc.nat(text.length), { maxLength: 30 })
        .map((cuts) => [0, ...cuts.sort((a, b) => a - b), text.length])
        .map((cuts) => cuts.slice(1).map((end, at) => text.slice(cuts[at], end))),
    );
    fc.assert(
      fc.property(cutText, fc.integer({ min: 1, max: 20 }), counter, (messages, maxTokens, [, count]) => {
        expectWhole(chunkMessages(messages, { maxTokens, countTokens: count }), messages.join(""), maxTokens, count);
      }),
      { numRuns: 1_500, seed: 4 },
    );
  });

  it.each([
    ["a family", ["👨\u200d", "\ud83d", "\udc69\u200d👧"]],
    ["a family, with an empty message", ["👨\u200d", "\ud83d", "", "\udc69\u200d👧"]],
    ["a flag", ["🇩", "\ud83c", "\uddea"]],
    ["a skin tone", ["👍", "\ud83c", "\udffd"]],
    ["a skin tone, unit by unit", [..."👍🏽"].flatMap((point) => point.split(""))],
  ])("leaves %s whole where a message is half a surrogate pair", (_, messages) => {
    expect(chunkMessages(messages, { maxTokens: 1, countTokens })).toEqual([messages.join("")]);
  });

  it("does not cut a message that fits", () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: fc.constantFrom("a", " ", ".", "\n"), minLength: 1, maxLength: 20 })),
        fc.integer({ min: 20, max: 50 }),
        (messages, maxTokens) => {
          const chunks = chunkMessages(messages, { maxTokens, countTokens });
          // \r\n cannot occur, so every seam is a grapheme boundary
          const seams = endsOf(messages);
          for (const end of endsOf(chunks)) expect(seams).toContain(end);
        },
      ),
      { numRuns: 500, seed: 3 },
    );
  });

  it("fills chunks of many short messages whose counts add up to more than the whole", () => {
    const messages = Array.from({ length: 2_000 }, () => "ab");
    const chunks = chunkMessages(messages, { maxTokens: 100, countTokens: counters.framed! });
    for (const chunk of chunks.slice(0, -1)) expect(counters.framed!(chunk)).toBeGreaterThan(90);
  });
});

describe("chunkSessions", () => {
  const countTokens = (text: string) => text.length;

  it("gives one chunk a session, more when it is too long, and never mixes two", () => {
    const sessions = [["a\n", "b\n"], ["c\n"], [], ["one two ", "three four "]];
    expect(chunkSessions(sessions, { maxTokens: 12, countTokens })).toEqual([
      "a\nb\n",
      "c\n",
      "one two ",
      "three four ",
    ]);
  });
});
