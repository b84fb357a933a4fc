import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { textTokenizer } from "../../../policies/token-exact/text-tokenizer.ts";
import { tiny, tinyFiles } from "./tiny-format.ts";

const { tokenizer } = tiny;
const file = JSON.parse(tinyFiles.tokenizer);
const variant = (change: object) => JSON.stringify({ ...file, ...change });

describe("a byte-level tokenizer", () => {
  it("reads back what it wrote, whatever it was, up to NFC and lone surrogates", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const ids = tokenizer.encodeText(text);
        expect(tokenizer.decode(ids)).toBe(text.toWellFormed().normalize("NFC"));
        expect(tokenizer.countTokens(text)).toBe(ids.length);
      }),
      { numRuns: 300 },
    );
  });

  it("never makes a special token of text", () => {
    const specials = [...tokenizer.specials.keys()];
    const special = new Set([...tokenizer.specials.values()].map(({ id }) => id));
    for (const text of [...specials, specials.join(""), `a${specials.join(" ")}\n`]) {
      const ids = tokenizer.encodeText(text);
      expect(ids.filter((id) => special.has(id))).toHaveLength(0);
      expect(tokenizer.decode(ids)).toBe(text);
    }
  });

  it("never makes a special token of text when the vocabulary lists them as well", () => {
    const vocab = { ...file.model.vocab };
    for (const { content, id } of file.added_tokens) vocab[content] = id;
    const doubled = textTokenizer(variant({ model: { ...file.model, vocab, ignore_merges: true } }));
    for (const name of doubled.specials.keys()) expect([...doubled.encodeText(name)]).not.toContain(vocab[name]);
  });

  it("counts nothing for nothing and something for anything", () => {
    expect(tokenizer.countTokens("")).toBe(0);
    for (const text of [" ", "\n", "\u0000", "\ud800", "中", "🙂"])
      expect(tokenizer.countTokens(text)).toBeGreaterThan(0);
  });

  it("says where in the text each token begins, also within one character", () => {
    const text = "a🙂中\n";
    const ids = tokenizer.encodeText(text);
    const { offsets, text: decoded } = tokenizer.decodeWithOffsets(ids);
    expect(decoded).toBe(text);
    expect(offsets[0]).toBe(0);
    expect(offsets[ids.length]).toBe(text.length);
    expect([...offsets]).toEqual([...offsets].sort((a, b) => a - b));
    expect(ids.length).toBeGreaterThan(4);
  });

  it("writes U+FFFD for ids that it does not have and for bytes that are no text", () => {
    expect(tokenizer.decode(Int32Array.of(999_999))).toBe("\ufffd");
    expect(tokenizer.decode(tokenizer.encodeText("🙂").subarray(0, 1))).toBe("\ufffd");
    expect(tokenizer.decode(new Int32Array(0))).toBe("");
  });

  it("has the hash of its file", () => {
    expect(tokenizer.hash).toMatch(/^[0-9a-f]{64}$/);
    expect(textTokenizer(`${tinyFiles.tokenizer} `).hash).not.toBe(tokenizer.hash);
  });
});

describe("a tokenizer that ids cannot be exact with is refused", () => {
  it.each([
    ["no JSON", "<html>", "input", /is not JSON/],
    ["no vocabulary", "{}", "input", /model/],
    ["ids that are none", variant({ model: { ...file.model, vocab: { a: -1 } } }), "input", /expected token ids/],
    ["another model", variant({ model: { ...file.model, type: "Unigram" } }), "config", /its model is Unigram/],
    ["no bytes", variant({ decoder: { type: "Metaspace" } }), "config", /does not work on bytes/],
    ["no bytes before", variant({ pre_tokenizer: null }), "config", /does not work on bytes/],
    ["a normalizer", variant({ normalizer: { type: "Lowercase" } }), "config", /changes texts \(Lowercase\)/],
    ["blanks", variant({ pre_tokenizer: { type: "ByteLevel", add_prefix_space: true } }), "config", /blank before/],
    [
      "greedy special tokens",
      variant({ added_tokens: [{ id: 700, content: "<|end|>", special: true, rstrip: true }] }),
      "config",
      /take the blanks/,
    ],
    [
      "missing bytes",
      variant({ model: { ...file.model, vocab: { a: 0 }, merges: [] }, added_tokens: [] }),
      "config",
      /no token for 255 of the 256 bytes/,
    ],
  ])("%s", (_what, json, code, message) => {
    expect(() => textTokenizer(json)).toThrow(
      expect.objectContaining({ code, message: expect.stringMatching(message) }),
    );
  });
});
