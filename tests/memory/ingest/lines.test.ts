import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { splitLines, splitParagraphs, withoutEnd } from "../../../memory/ingest/lines.ts";

const messyText = fc
  .array(fc.constantFrom("a", "word ", "\n", "\r\n", "\r", "\n\n", " ", "\t", "🙂", "x".repeat(900)), { maxLength: 60 })
  .map((parts) => parts.join(""));

describe("cutting text", () => {
  it("lines keep their own ends: LF, CRLF, and CR where there is no LF", () => {
    expect(splitLines("a\r\nb\n\nc")).toEqual(["a\r\n", "b\n", "\n", "c"]);
    expect(splitLines("a\rb\r")).toEqual(["a\r", "b\r"]);
    expect(splitLines("50%\r100%\ndone\n")).toEqual(["50%\r100%\n", "done\n"]);
    expect(splitLines("")).toEqual([]);
    expect(["a\r\n", "b\n", "c\r", "d"].map(withoutEnd)).toEqual(["a", "b", "c", "d"]);
  });

  it("paragraphs take the blank lines that follow them", () => {
    expect(splitParagraphs(splitLines("\na\nb\n\n \nc\n"))).toEqual(["\na\nb\n\n \n", "c\n"]);
  });

  it("a long paragraph is cut at line ends, a long line is not", () => {
    const line = `${"x".repeat(700)}\n`;
    expect(splitParagraphs([line, line, line, line]).map((part) => part.length)).toEqual([1402, 1402]);
    expect(splitParagraphs(["y".repeat(9_000)])).toHaveLength(1);
  });

  it("the pieces concatenate to the input", () => {
    fc.assert(
      fc.property(messyText, (text) => {
        expect(splitLines(text).join("")).toBe(text);
        expect(splitParagraphs(splitLines(text)).join("")).toBe(text);
      }),
    );
  });
});
