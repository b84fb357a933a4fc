import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { UmaError } from "../../../base/errors.ts";
import { charsetName, decodeExactly, firstUndecodable } from "../../../memory/ingest/charsets.ts";
import { decodeText } from "../../../memory/ingest/decode.ts";
import { encode } from "./encode.ts";

const bytes = (...values: number[]) => Uint8Array.from(values);
const latin1 = (text: string) => Buffer.from(text, "latin1");

function failure(run: () => unknown): UmaError {
  try {
    run();
  } catch (error) {
    if (error instanceof UmaError) return error;
    throw error;
  }
  throw new Error("expected an error");
}

describe("UTF-8", () => {
  it("keeps line ends, NUL and control characters byte for byte", () => {
    const text = "a\r\nb\nc\rd\u0000e\u001b[31mf\u007f\u202e\u200b\ufeffg";
    expect(decodeText(Buffer.from(text))).toEqual({ text, encoding: "utf-8", notes: [] });
  });

  it("takes off a leading byte order mark and says so; one inside the text stays", () => {
    const decoded = decodeText(Buffer.from("\ufeffa\ufeffb"));
    expect(decoded).toEqual({ text: "a\ufeffb", encoding: "utf-8", notes: ["the byte order mark was taken off"] });
  });

  it("any text comes back as it went in", () => {
    const oneText = fc.string({ unit: "grapheme", maxLength: 200 }).filter((text) => !text.includes("\u0000"));
    fc.assert(
      fc.property(oneText, (text) => {
        expect(decodeText(Buffer.from(text)).text).toBe(text.replace(/^\ufeff/, ""));
      }),
    );
  });

  it("names the first byte that is not UTF-8, with its offset in groups of three digits", () => {
    const error = failure(() => decodeText(Buffer.concat([Buffer.from("x".repeat(1_203)), bytes(0xe9, 0x20)])));
    expect(error.code).toBe("input");
    expect(error.message).toContain("byte 0xE9 at offset 1,203 is not UTF-8");
    expect(error.fix).toMatch(/--encoding.*--lossy/);
  });

  it("says that mostly sound UTF-8 is damaged instead of guessing another charset", () => {
    const error = failure(() => decodeText(Buffer.concat([Buffer.from("déjà vu, très bien été"), bytes(0xff)])));
    expect(error.message).toContain("the file looks damaged");
  });

  it.each([
    ["a lone continuation byte", [0x61, 0x80], 1],
    ["a cut-off character at the end", [0x61, 0x62, 0xe2, 0x82], 2],
    ["an encoded surrogate", [0x61, 0xed, 0xa0, 0x80], 1],
    ["an overlong form", [0xc0, 0xaf], 0],
    ["a value beyond U+10FFFF", [0x61, 0xf5, 0x80, 0x80, 0x80], 1],
    ["a byte that UTF-8 never uses", [0xff], 0],
  ])("finds the offset of %s", (_, values, offset) => {
    expect(firstUndecodable(bytes(...values), "utf-8")).toBe(offset);
  });

  it("finds an offset behind several megabytes of sound text", () => {
    const sound = Buffer.from("né ".repeat(600_000));
    expect(firstUndecodable(Buffer.concat([sound, bytes(0xff, 0x41)]), "utf-8")).toBe(sound.length);
  });

  it("lossy replaces what cannot be decoded and counts it, but not U+FFFD that the input really holds", () => {
    const decoded = decodeText(Buffer.concat([Buffer.from("a\ufffdé"), bytes(0xff), Buffer.from("b"), bytes(0xc3)]), {
      lossy: true,
    });
    expect(decoded.text).toBe("a\ufffdé\ufffdb\ufffd");
    expect(decoded.notes).toEqual(["2 undecodable byte sequence(s) became U+FFFD"]);
  });
});

describe("UTF-16", () => {
  const text = "Zoë said: 10 € 🙂\r\n";
  const le = Buffer.from(text, "utf16le");
  const be = Buffer.from(le).swap16();

  it.each([
    ["utf-16le", "a mark", Buffer.concat([bytes(0xff, 0xfe), le])],
    ["utf-16be", "a mark", Buffer.concat([bytes(0xfe, 0xff), be])],
    ["utf-16le", "its zero bytes", le],
    ["utf-16be", "its zero bytes", be],
  ])("is read as %s by %s", (encoding, _, input) => {
    const decoded = decodeText(input);
    expect([decoded.encoding, decoded.text]).toEqual([encoding, text]);
  });

  it("an odd number of bytes behind a mark is an error that names the last byte", () => {
    const error = failure(() => decodeText(bytes(0xff, 0xfe, 0x41, 0x00, 0x42)));
    expect(error.message).toContain("byte 0x42 at offset 4 is not utf-16le");
  });

  it("UTF-32 is refused with what to do", () => {
    const error = failure(() => decodeText(bytes(0xff, 0xfe, 0, 0, 0x41, 0, 0, 0)));
    expect(`${error.message}; ${error.fix}`).toBe(
      "the text is UTF-32, which cannot be read; convert it to UTF-8 first",
    );
  });
});

describe("a named encoding", () => {
  it("windows-1252 has its curly quotes and its euro, also by the names latin1 and iso-8859-1", () => {
    for (const encoding of ["windows-1252", "latin1", "ISO-8859-1"]) {
      const decoded = decodeText(bytes(0x80, 0x93, 0xe9, 0x94, 0x85), { encoding });
      expect([decoded.text, decoded.encoding]).toEqual(["€“é”…", "windows-1252"]);
    }
  });

  it("that does not exist is a configuration error that lists some that do", () => {
    const error = failure(() => decodeText(bytes(0x41), { encoding: "klingon" }));
    expect([error.code, error.message]).toEqual(["config", '"klingon" is not an encoding that can be read']);
    expect(error.fix).toContain("windows-1252");
  });

  it("that does not fit is an error with the offset", () => {
    const error = failure(() => decodeText(latin1("abc\xe9"), { encoding: "utf-8" }));
    expect(error.message).toBe("byte 0xE9 at offset 3 is not utf-8");
  });

  it("never lets ICU drop bytes that a double-byte charset does not know", () => {
    // 0x8C 0x63 is a syllable of windows-949 that EUC-KR lacks; Node decodes it as a control character and a letter
    expect(decodeExactly(bytes(0x8c, 0x63), "euc-kr")).toBeNull();
    expect(failure(() => decodeText(bytes(0xb0, 0xa1, 0x8c, 0x63), { encoding: "euc-kr" })).message).toContain(
      "offset 2",
    );
  });

  it("utf-16 follows the mark", () => {
    expect(decodeText(bytes(0xfe, 0xff, 0x00, 0x41), { encoding: "utf-16" }).text).toBe("A");
  });

  it("each single-byte charset gives its bytes back", () => {
    const names =
      "windows-1250 windows-1251 windows-1252 windows-1254 windows-1256 koi8-r ibm866 x-mac-cyrillic macintosh";
    for (const charset of names.split(" ")) {
      const all = Uint8Array.from({ length: 256 }, (_, byte) => byte);
      const text = decodeExactly(all, charset)!;
      expect([...encode(text, charset)], charset).toEqual([...all]);
    }
  });
});

describe("seven-bit Japanese", () => {
  it("is told from ASCII by its escapes", () => {
    const decoded = decodeText(latin1("\x1b$B$3$s$K$A$O\x1b(B, world\n"));
    expect([decoded.encoding, decoded.text]).toEqual(["iso-2022-jp", "こんにちは, world\n"]);
  });

  it("terminal colours are no Japanese", () => {
    expect(decodeText(latin1("\x1b[0;31mred\x1b[0m")).encoding).toBe("utf-8");
  });
});

describe("binary data", () => {
  it("a few NUL are text, mostly NUL is not, and NUL rules every legacy charset out", () => {
    expect(decodeText(latin1("BEGIN:\0\n")).text).toBe("BEGIN:\0\n");
    expect(failure(() => decodeText(new Uint8Array(64))).message).toMatch(/binary data, not text/);
    expect(failure(() => decodeText(latin1(`${"\xe9t\xe9 ".repeat(50)}\0`))).message).toMatch(/binary data, not text/);
  });

  it("random bytes decode or fail with an UmaError, never otherwise, in every mode", () => {
    const labels = ["utf-8", "utf-16le", "shift_jis", "gb18030", "big5", "euc-kr", "iso-2022-jp", "windows-1255"];
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 300 }),
        fc.boolean(),
        fc.option(fc.constantFrom(...labels), { nil: undefined }),
        (input, lossy, encoding) => {
          try {
            const decoded = decodeText(input, encoding === undefined ? { lossy } : { lossy, encoding });
            expect(charsetName(decoded.encoding)).toBe(decoded.encoding);
          } catch (error) {
            if (!(error instanceof UmaError)) throw error;
            expect(error.message).not.toContain("\n");
          }
        },
      ),
      { numRuns: 500 },
    );
  });
});
