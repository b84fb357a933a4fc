/** The folder of a small policy: a tokenizer that loses nothing and agrees with the Rust library, a template, weights. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readSafetensors } from "../../../policies/embedded/safetensors.ts";
import { type ChatFormat, chatFormat } from "../../../policies/token-exact/chat-format.ts";
import { readModelFiles } from "../../../policies/token-exact/model-files.ts";
import { textTokenizer } from "../../../policies/token-exact/text-tokenizer.ts";
import { exportPolicy } from "../../../trainers/sft/export-policy.ts";
import { shownOfObservation } from "../../../trainers/sft/model/chat-template.ts";
import { type ModelShape, writeInitialModel } from "../../../trainers/sft/model/initial-model.ts";
import { countPieces, policyTokenizer } from "../../../trainers/sft/model/policy-tokenizer.ts";
import { writeSafetensors } from "../../../trainers/sft/model/write-safetensors.ts";

const shape: ModelShape = { width: 16, layers: 2, heads: 2, headWidth: 8, feedForward: 24, context: 256, rope: 10_000 };
/** All tensors of a file, in its order. */
const tensorsIn = (file: Buffer) =>
  [...readSafetensors(file, "the file")].map(([name, { shape, values }]) => ({ name, shape, values: values() }));
const words = countPieces(["I paid 12.50 for a coffee.", "Today I paid 3 for a taxi."], 1);
const tokenizer = policyTokenizer(words);
let folder: string;
let format: ChatFormat;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "umagraph-policy-"));
  writeInitialModel(folder, { shape, tokenizer, seed: 1 });
  format = chatFormat(await readModelFiles(folder));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const pieces = (ids: Int32Array) => Array.from(ids, (id) => format.tokenizer.decode(Int32Array.of(id)));

describe("the tokenizer", () => {
  it("cuts at fragments, names, dates, words and single digits", () => {
    expect(pieces(format.tokenizer.encodeText("2024-02-23 Fast Food I paid 12.50"))).toEqual([
      "2024-02",
      "-23",
      " Fast Food",
      " I",
      " paid",
      " ",
      "1",
      "2",
      ".",
      "5",
      "0",
    ]);
    const call =
      '<tool_call>{"name":"memory_add","arguments":{"title":"2024-02-23 Coffee","content":"2024-02-23 | Dining | Coffee | 4.50"}}</tool_call>';
    expect(pieces(format.tokenizer.encodeText(call))).toEqual([
      '<tool_call>{"name":"memory_add","arguments":{"title":"',
      "2024-02",
      "-23",
      " Coffee",
      '","content":"',
      "2024-02",
      "-23",
      " | Dining | Coffee | ",
      "4",
      ".",
      "5",
      "0",
      '"}}</tool_call>',
    ]);
  });

  it("takes no piece for another: longer names first, none inside a word, no day outside a date", () => {
    expect(pieces(format.tokenizer.encodeText(" Gas Bill"))).toEqual([" Gas Bill"]);
    expect(pieces(format.tokenizer.encodeText(" Buses")).join("|")).not.toContain(" Bus");
    expect(pieces(format.tokenizer.encodeText("12.50-12.00")).join("|")).toBe("1|2|.|5|0|-|1|2|.|0|0");
  });

  it("gives back any text, and never a special token for it", () => {
    const { encodeText, decode, specials } = format.tokenizer;
    const ids = new Set([...specials.values()].map(({ id }) => id));
    const text = fc.oneof(
      fc.string({ unit: "binary" }),
      fc
        .array(fc.constantFrom("<|end|>", "<tool_call>", "2024-02-23", " Coffee", "é", "東京", '"}}', "\n", "-", "1"))
        .map((parts) => parts.join("")),
    );
    fc.assert(
      fc.property(text, (written) => {
        const encoded = encodeText(written);
        expect(decode(encoded)).toBe(written.toWellFormed());
        expect(encoded.some((id) => ids.has(id))).toBe(false);
      }),
      { numRuns: 300 },
    );
  });

  it("gives the ids that the Rust library gives", () => {
    const golden = JSON.parse(
      readFileSync(join(import.meta.dirname, "../../golden/policy-tokenizer.json"), "utf8"),
    ) as {
      words: string[];
      texts: { text: string; ids: number[] }[];
    };
    const { encodeText } = textTokenizer(policyTokenizer(golden.words));
    expect(golden.texts.length).toBeGreaterThan(10);
    for (const { text, ids } of golden.texts) expect(Array.from(encodeText(text)), text).toEqual(ids);
  });

  it("is the same bytes for the same words", () => {
    expect(policyTokenizer(words)).toBe(tokenizer);
  });
});

describe("the chat template", () => {
  const line = (date: string, speaker: string, text: string) => `[${date}] ${speaker} said, "${text}"`;
  const user = (text: string) => ({ role: "user" as const, text });
  const shown = (text: string) =>
    format.encodeSession([{ role: "system", text: "Keep the books." }, user(text)], []).text;

  it("does not repeat a chunk's date, and keeps every other", () => {
    const chunk = [
      line("2024-02-23", "User", "One."),
      line("2024-02-23", "Assistant", "OK."),
      line("2024-02-24", "User", "Two."),
      line("2024-02-23", "User", "On 2024-02-23 three."),
    ];
    expect(shown(`<chunk>\n${chunk.join("\n")}\n</chunk>`)).toBe(
      '<|system|>Keep the books.<|user|><chunk>\n[2024-02-23] User said, "One."\nAssistant: "OK."\n[2024-02-24] User said, "Two."\nUser: "On 2024-02-23 three."\n</chunk><|assistant|>',
    );
  });

  it("shows texts that are no chunk, or hold the tags of one, as they are", () => {
    for (const text of ["<question>\nHow much?\n</question>", "<chunk>\n[", "chunk>\n[x chunk>\n[y", ""])
      expect(shown(text)).toBe(`<|system|>Keep the books.<|user|>${text}<|assistant|>`);
  });

  it("leaves out that a write went well, shows what did not, and the beginning of what is long", () => {
    const observed = (text: string) => format.encodeSuffix([{ role: "tool", text }], null).text;
    expect(observed('Added "2024-02-23 Coffee".')).toBe("<|end|><|tool|><|assistant|>");
    expect(observed('No entry is titled "x".')).toContain('No entry is titled "x".');
    expect(observed("y".repeat(9_000))).toContain(`>${"y".repeat(shownOfObservation)}<`);
  });

  it("lets every session go on as it stands", () => {
    expect(format.rewriting).toEqual({ tool: "never", user: "never" });
  });
});

describe("the model", () => {
  it("is Qwen3 with tied embeddings, the same for the same seed", () => {
    const tensors = tensorsIn(readFileSync(join(folder, "model.safetensors")));
    const embedding = tensors.find(({ name }) => name === "model.embed_tokens.weight")!;
    const config = JSON.parse(readFileSync(join(folder, "config.json"), "utf8"));
    expect(config).toMatchObject({ model_type: "qwen3", tie_word_embeddings: true, vocab_size: embedding.shape[0] });
    expect(config.eos_token_id).toBe(format.endIds[0]);
    const spread = Math.sqrt(embedding.values.reduce((sum, x) => sum + x * x, 0) / embedding.values.length);
    expect(spread).toBeCloseTo(0.02, 3);
    const again = mkdtempSync(join(tmpdir(), "umagraph-policy-"));
    writeInitialModel(again, { shape, tokenizer, seed: 1 });
    expect(readFileSync(join(again, "model.safetensors")).equals(readFileSync(join(folder, "model.safetensors")))).toBe(
      true,
    );
    const other = writeInitialModel(again, { shape, tokenizer, seed: 2 });
    expect(other).toBe(tensors.reduce((sum, { values }) => sum + values.length, 0));
    expect(readFileSync(join(again, "model.safetensors")).equals(readFileSync(join(folder, "model.safetensors")))).toBe(
      false,
    );
    rmSync(again, { recursive: true });
  });

  it("is exported in half the bytes, within half a unit of its last place", () => {
    const out = join(folder, "exported");
    const { parameters, bytes } = exportPolicy(folder, out);
    expect(bytes).toBeLessThan(2 * parameters + 4_000);
    const before = tensorsIn(readFileSync(join(folder, "model.safetensors")));
    const after = new Map(
      tensorsIn(readFileSync(join(out, "model.safetensors"))).map((tensor) => [tensor.name, tensor]),
    );
    for (const { name, values } of before)
      values.forEach((value, i) => {
        expect(Math.abs(after.get(name)!.values[i]! - value)).toBeLessThanOrEqual(
          Math.max(Math.abs(value) * 2 ** -11, 2 ** -25),
        );
      });
    expect(readFileSync(join(out, "tokenizer.json"), "utf8")).toBe(tokenizer);
  });
});

describe("half precision", () => {
  const half = (value: number) =>
    tensorsIn(writeSafetensors([{ name: "x", shape: [1], values: Float32Array.of(value) }], "F16"))[0]!.values[0];

  it.each([
    [0, 0],
    [1, 1],
    [-2.5, -2.5],
    [65_504, 65_504],
    [2 ** -24, 2 ** -24],
    [2 ** -26, 0],
    [1 + 2 ** -11, 1],
    [1 + 3 * 2 ** -11, 1 + 2 ** -9],
    [2 - 2 ** -12, 2],
    [2 ** -14 - 2 ** -26, 2 ** -14],
  ])("%d is kept as %d", (value, expected) => {
    expect(half(value)).toBe(expected);
  });

  it("refuses what it cannot hold", () => {
    for (const value of [70_000, Number.NaN, Number.POSITIVE_INFINITY])
      expect(() => half(value)).toThrow("does not fit");
  });

  it("refuses files that are none", () => {
    expect(() => tensorsIn(Buffer.alloc(3))).toThrow("expected a safetensors file, got 3 bytes");
    const file = writeSafetensors([{ name: "x", shape: [2], values: Float32Array.of(1, 2) }], "F32");
    expect(() => tensorsIn(file.subarray(0, 20))).toThrow("its header should have");
    expect(() => tensorsIn(file.subarray(0, -1))).toThrow("x ends 1 bytes behind the end of the file");
    expect(() => writeSafetensors([{ name: "x", shape: [3], values: Float32Array.of(1) }], "F32")).toThrow(
      "expected 3",
    );
  });
});
