import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { subChunks } from "../../retrieval/sub-chunks.ts";

const texts = (chunks: readonly string[], maxChars?: number) => subChunks(chunks, maxChars).map((piece) => piece.text);

describe("sub-chunks", () => {
  it("are packed greedily at line ends", () => {
    expect(texts(["aaaa\nbbbb\ncccc\ndd\n"], 10)).toEqual(["aaaa\nbbbb", "cccc\ndd"]);
    expect(texts(["aaaa\r\nbbbb\r\ncccc"], 10)).toEqual(["aaaa\r\nbbbb", "cccc"]);
    expect(texts(["x".repeat(1000)])).toEqual(["x".repeat(1000)]);
    expect(texts([`${"x".repeat(1000)}\ny`])).toEqual(["x".repeat(1000), "y"]);
  });

  it("never cross a chunk and are named by chunk and part", () => {
    const pieces = subChunks(["one\ntwo", "", " \n ", "three"], 4);
    expect(pieces.map(({ id, index, chunk, text }) => [id, index, chunk, text])).toEqual([
      ["c0.0", 0, 0, "one"],
      ["c0.1", 1, 0, "two"],
      ["c3.0", 2, 3, "three".slice(0, 4)],
      ["c3.1", 3, 3, "e"],
    ]);
  });

  it("a longer line is cut after a sentence, else after a word, else between characters", () => {
    expect(texts(["One two three. Four five six seven."], 20)).toEqual(["One two three.", "Four five six seven."]);
    expect(texts(["alpha beta gamma delta epsilon"], 12)).toEqual(["alpha beta", "gamma delta", "epsilon"]);
    expect(texts(["今日は晴れ。明日は雨が降る。"], 8)).toEqual(["今日は晴れ。", "明日は雨が降る。"]);
    expect(texts(["abcdefghij"], 4)).toEqual(["abcd", "efgh", "ij"]);
  });

  it("the rest of a cut line is packed with the lines after it", () => {
    expect(texts(["aaaa bbbb cc\ndd\nee"], 9)).toEqual(["aaaa bbbb", "cc\ndd\nee"]);
  });

  it("a grapheme is never split unless it alone is too long, and then no surrogate pair is", () => {
    const family = "👩‍👩‍👧"; // 8 units
    expect(texts([family.repeat(4)], 20)).toEqual([family.repeat(2), family.repeat(2)]);
    expect(texts(["e\u0301".repeat(5)], 3)).toEqual(Array(5).fill("e\u0301"));
    expect(texts(["😀😀😀"], 3)).toEqual(["😀", "😀", "😀"]);
    expect(texts([`a${"\u0301".repeat(9)}`], 4).map((text) => text.length)).toEqual([4, 4, 2]);
    expect(texts(["😀\u200d".repeat(4)], 4).every((text) => !/\p{Cs}/u.test(text))).toBe(true);
  });

  it("blank pieces are left out, blank lines around a piece too, indentation stays", () => {
    expect(subChunks(["\n\n  a\nb\n\n\n"])).toEqual([
      { id: "c0.0", index: 0, chunk: 0, start: 2, end: 7, text: "  a\nb" },
    ]);
    expect(subChunks(["", " ", "\n\n", "\u00a0\u2003"])).toEqual([]);
  });

  it.each([0, 1, -5, 2.5, Number.NaN])("maxChars of %s is refused", (maxChars) => {
    expect(() => subChunks(["x"], maxChars)).toThrow(/maxChars: expected/);
  });

  it("hold every visible character once, in order, at the offsets they give, and at most maxChars", () => {
    const unit = fc.constantFrom(
      "a",
      "Bc",
      " ",
      "  ",
      "\n",
      "\r\n",
      "\r",
      ". ",
      "。",
      "é",
      "e\u0301",
      "👩‍👩‍👧",
      "🇦🇹",
      "\ud800",
      "\u0301",
    );
    const chunk = fc.array(unit, { maxLength: 60 }).map((units) => units.join(""));
    fc.assert(
      fc.property(fc.array(chunk, { maxLength: 4 }), fc.integer({ min: 2, max: 30 }), (chunks, maxChars) => {
        const pieces = subChunks(chunks, maxChars);
        chunks.forEach((text, number) => {
          let at = 0;
          for (const piece of pieces.filter((candidate) => candidate.chunk === number)) {
            expect(piece.text).toBe(text.slice(piece.start, piece.end));
            expect(text.slice(at, piece.start).trim()).toBe("");
            expect(piece.start).toBeGreaterThanOrEqual(at);
            expect(piece.text.trim()).not.toBe("");
            expect(piece.text.length).toBeLessThanOrEqual(maxChars);
            at = piece.end;
          }
          expect(text.slice(at).trim()).toBe("");
        });
        expect(pieces.map((piece) => piece.index)).toEqual(pieces.map((_, i) => i));
      }),
      { numRuns: 500 },
    );
  });

  it("a grapheme that fits is whole in one piece", () => {
    const graphemes = new Intl.Segmenter("und", { granularity: "grapheme" });
    const unit = fc.constantFrom("a", "b c", " ", " \u0301", "\n", ". ", "e\u0301", "👩‍👩‍👧", "🇦🇹🇩🇪", "한", "क्षि");
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 50 }), fc.integer({ min: 14, max: 30 }), (units, maxChars) => {
        const text = units.join("");
        const pieces = subChunks([text], maxChars);
        for (const { segment, index } of graphemes.segment(text)) {
          if (segment.trim() === "") continue;
          const holder = pieces.find((piece) => piece.start < index + segment.length && piece.end > index)!;
          // blanks at the edge of a piece are not part of it
          const visible = segment.trimEnd();
          expect(holder.end).toBeGreaterThanOrEqual(index + visible.length);
          expect(holder.start).toBeLessThanOrEqual(index);
        }
      }),
      { numRuns: 500 },
    );
  });
});
