import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Embeddings } from "@langchain/core/embeddings";
import { afterAll, describe, expect, it } from "vitest";
import { StaticEmbeddings, staticTable } from "../../retrieval/static-embedder.ts";
import { createWordPieces } from "../../retrieval/word-pieces.ts";

const assets = new URL("../../assets/static-minilm/", import.meta.url);
const golden: { cases: { text: string; ids: number[]; first8: number[] }[] } = JSON.parse(
  readFileSync(new URL("golden.json", assets), "utf8"),
);
const scratch = mkdtempSync(join(tmpdir(), "umagraph-table-"));
afterAll(() => rmSync(scratch, { recursive: true }));

describe("the static table", () => {
  it.each(golden.cases)("reproduces the golden ids and components of $text", ({ text, ids, first8 }) => {
    const table = staticTable();
    expect(table.ids(text)).toEqual(ids);
    const vector = table.embed(text);
    expect(vector).toHaveLength(256);
    first8.forEach((value, i) => {
      expect(Math.abs(vector[i]! - value)).toBeLessThan(1e-5);
    });
  });

  it("gives vectors of length 1, or all zeros when no piece is known", () => {
    const length = (text: string) => Math.hypot(...staticTable().embed(text));
    expect(length("Where did Anna adopt her dog?")).toBeCloseTo(1, 6);
    expect(length("")).toBe(0);
    expect(length("x".repeat(101))).toBe(0);
    expect(length("\u200b")).toBe(0);
  });

  it("its first columns are the smaller models, and the ids keep the widths apart", () => {
    const whole = staticTable().embed("a brown dog");
    const part = staticTable({ columns: 64 }).embed("a brown dog");
    const scale = whole[0]! / part[0]!;
    expect(part).toHaveLength(64);
    part.forEach((value, i) => {
      expect(value * scale).toBeCloseTo(whole[i]!, 5);
    });
    const ids = ([256, 128, 64] as const).map((columns) => staticTable({ columns }).id);
    // pinned: embedding caches outlive a process, so the id must change with the table and only then
    expect(ids).toEqual([256, 128, 64].map((columns) => `static-minilm-${columns}-da9340c3ad51efb8`));
    expect(() => staticTable({ columns: 100 as 64 })).toThrow(/columns: expected 256, 128 or 64/);
  });

  it("a folder with no table, a cut file or a wrong header is a clear error", () => {
    expect(() => staticTable({ folder: join(scratch, "none") })).toThrow(/cannot read the embedding table/);
    const broken = (name: string, bytes: Uint8Array) => {
      const folder = join(scratch, name);
      mkdirSync(folder);
      cpSync(new URL("vocab.txt", assets), join(folder, "vocab.txt"));
      writeFileSync(join(folder, "model.safetensors"), bytes);
      return () => staticTable({ folder });
    };
    const bytes = readFileSync(new URL("model.safetensors", assets));
    expect(broken("empty", new Uint8Array())).toThrow(/empty or cut off/);
    expect(broken("cut", bytes.subarray(0, 1_000_000))).toThrow(/cut off/);
    expect(broken("text", Buffer.from("this is not a table of vectors"))).toThrow(/cut off/);
    const header = Buffer.from("{}      ");
    const length = Buffer.alloc(8);
    length.writeBigUInt64LE(8n);
    expect(broken("header", Buffer.concat([length, header]))).toThrow(/no tensor embedding of type I8/);
  });

  it("the asset names its source and licence", () => {
    expect(readdirSync(assets).sort()).toEqual([
      "LICENSE",
      "README.md",
      "golden.json",
      "model.safetensors",
      "vocab.txt",
    ]);
    expect(readFileSync(new URL("LICENSE", assets), "utf8")).toContain("Apache License");
    expect(readFileSync(new URL("README.md", assets), "utf8")).toContain("sentence-transformers/all-MiniLM-L6-v2");
  });
});

describe("StaticEmbeddings", () => {
  it("is a LangChain embedder", async () => {
    const embedder = new StaticEmbeddings({ columns: 128 });
    expect(embedder).toBeInstanceOf(Embeddings);
    const [first, second] = await embedder.embedDocuments(["a dog", "a budget"]);
    expect(Array.isArray(first)).toBe(true);
    expect(first).toHaveLength(128);
    expect(await embedder.embedQuery("a dog")).toEqual(first);
    expect(second).not.toEqual(first);
    expect(embedder.id).toBe(staticTable({ columns: 128 }).id);
  });
});

describe("word pieces", () => {
  const pieces = createWordPieces("[UNK]\nun\n##aff\n##able\naff\n!\n#\n1\n##2\né\ne\n東\n");

  it("take the longest known piece from the left", () => {
    expect(pieces.ids("Unaffable!")).toEqual([1, 2, 3, 5]);
    expect(pieces.ids("12")).toEqual([7, 8]);
  });

  it("a word with an unknown part leaves no id", () => {
    expect(pieces.ids("unaffected aff")).toEqual([4]);
  });

  it("accents are dropped, ideographs stand alone, control characters vanish", () => {
    expect(pieces.ids("É")).toEqual([10]);
    expect(pieces.ids("東東")).toEqual([11, 11]);
    expect(pieces.ids("u\u0001n")).toEqual([1]);
    expect(pieces.ids("aff\u0000\u200b\ufffd")).toEqual([4]);
  });

  it("a word of more than 100 code points is unknown, one of 100 is not", () => {
    const long = createWordPieces("😀\n##😀\n");
    expect(long.ids("😀".repeat(100))).toHaveLength(100);
    expect(long.ids("😀".repeat(101))).toEqual([]);
  });
});

const messy = new URL("../../../shared/data/messy/", import.meta.url);
describe.skipIf(!existsSync(messy))("real text (skipped where ../shared/data/messy is missing)", () => {
  it("never gives NaN", () => {
    const files = readdirSync(messy, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    expect(files.length).toBeGreaterThan(20);
    for (const file of files) {
      for (const encoding of ["utf8", "latin1", "utf16le"] as const) {
        const text = readFileSync(join(file.parentPath, file.name), encoding);
        const length = Math.hypot(...staticTable().embed(text));
        expect(length === 0 || Math.abs(length - 1) < 1e-5).toBe(true);
      }
    }
  });
});
