import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { EmbeddingsInterface } from "@langchain/core/embeddings";
import { afterAll, describe, expect, it } from "vitest";
import { createEmbeddingCache } from "../../retrieval/embedding-cache.ts";
import { CountingEmbedder } from "./counting-embedder.ts";

const scratch = mkdtempSync(join(tmpdir(), "umagraph-cache-"));
afterAll(() => rmSync(scratch, { recursive: true }));
const named = (embeddings: EmbeddingsInterface, id = "counting-64") => ({ id, embeddings });

describe("the embedding cache", () => {
  it("embeds a text once, keeps the order and gives equal texts equal vectors", async () => {
    const embedder = new CountingEmbedder();
    const cache = createEmbeddingCache();
    const [a, b, again] = await cache.embed(named(embedder), "document", ["red", "blue", "red"]);
    expect(again).toEqual(a);
    expect(b).not.toEqual(a);
    expect(embedder.documents).toEqual(["red", "blue"]);
    expect(await cache.embed(named(embedder), "document", ["blue", "green", "red"])).toEqual([b, expect.anything(), a]);
    expect(embedder.documents).toEqual(["red", "blue", "green"]);
    expect(await cache.embed(named(embedder), "document", [])).toEqual([]);
  });

  it("callers who ask at the same time share one request", async () => {
    const embedder = new CountingEmbedder();
    const cache = createEmbeddingCache();
    const all = await Promise.all([
      cache.embed(named(embedder), "document", ["a", "b"]),
      cache.embed(named(embedder), "document", ["b", "c"]),
      cache.embed(named(embedder), "document", ["c", "a"]),
    ]);
    expect([...embedder.documents].sort()).toEqual(["a", "b", "c"]);
    expect(all[0]![1]).toEqual(all[1]![0]);
    expect(all[2]![1]).toEqual(all[0]![0]);
  });

  it("embedders, and documents and queries, never share a vector", async () => {
    const embedder = new CountingEmbedder();
    const cache = createEmbeddingCache();
    await cache.embed(named(embedder, "one"), "document", ["red"]);
    await cache.embed(named(embedder, "two"), "document", ["red"]);
    await cache.embed(named(embedder, "one"), "query", ["red"]);
    expect(embedder.documents).toEqual(["red", "red"]);
    expect(embedder.queries).toEqual(["red"]);
  });

  it("two different broken texts are two texts", async () => {
    const embedder = new CountingEmbedder();
    await createEmbeddingCache().embed(named(embedder), "document", ["\ud800", "\ud801", "\ufffd"]);
    expect(embedder.documents).toHaveLength(3);
  });

  it("a failed request reaches everyone who waited and is not remembered", async () => {
    const embedder = new CountingEmbedder();
    embedder.failures = 1;
    const cache = createEmbeddingCache();
    const both = await Promise.allSettled([
      cache.embed(named(embedder), "document", ["a"]),
      cache.embed(named(embedder), "document", ["a"]),
    ]);
    expect(both.map((result) => result.status)).toEqual(["rejected", "rejected"]);
    expect(await cache.embed(named(embedder), "document", ["a"])).toHaveLength(1);
  });

  it("forgets the longest unused vector when it is full, and never more than that", async () => {
    const embedder = new CountingEmbedder();
    const cache = createEmbeddingCache({ maxVectors: 2 });
    const ask = (text: string) => cache.embed(named(embedder), "document", [text]);
    for (const text of ["a", "b", "a", "c", "a", "b"]) await ask(text);
    expect(embedder.documents).toEqual(["a", "b", "c", "b"]);
    // a batch that is larger than the memory is still answered
    expect(await cache.embed(named(embedder), "document", ["1", "2", "3", "4"])).toHaveLength(4);
  });

  it("with a file, the next process embeds nothing again", async () => {
    const file = join(scratch, "deep", "cache.sqlite");
    const first = new CountingEmbedder();
    const cache = createEmbeddingCache({ file });
    const vectors = await cache.embed(named(first), "document", ["red", "blue"]);
    cache.close();
    const second = new CountingEmbedder();
    const reopened = createEmbeddingCache({ file });
    expect(await reopened.embed(named(second), "document", ["blue", "red"])).toEqual([vectors[1], vectors[0]]);
    expect(second.documents).toEqual([]);
    reopened.close();
  });

  it("two caches can use one file at the same time", async () => {
    const file = join(scratch, "shared.sqlite");
    const [one, two] = [createEmbeddingCache({ file }), createEmbeddingCache({ file })];
    const embedder = new CountingEmbedder();
    const texts = Array.from({ length: 50 }, (_, i) => `text ${i}`);
    await Promise.all([one, two].map((cache) => cache.embed(named(embedder), "document", texts)));
    expect(await two.embed(named(embedder), "document", texts)).toEqual(
      await one.embed(named(embedder), "document", texts),
    );
    one.close();
    two.close();
  });

  it("forget leaves a text's vector neither in memory nor in any file", async () => {
    const file = join(scratch, "forget.sqlite");
    const embedder = new CountingEmbedder();
    const cache = createEmbeddingCache({ file });
    const [secret] = await cache.embed(named(embedder), "document", ["a secret of three words", "kept"]);
    await cache.embed(named(embedder, "other"), "query", ["a secret of three words"]);
    const bytes = Buffer.from(secret!.buffer);
    const holding = () =>
      readdirSync(scratch).filter(
        (name) => name.startsWith("forget") && readFileSync(join(scratch, name)).includes(bytes),
      );
    expect(holding().length).toBeGreaterThan(0);
    cache.forget(["a secret of three words"]);
    expect(holding()).toEqual([]);
    await cache.embed(named(embedder), "document", ["kept"]);
    expect(embedder.documents).toHaveLength(2);
    await cache.embed(named(embedder), "document", ["a secret of three words"]);
    expect(embedder.documents).toHaveLength(3);
    cache.close();
  });

  it("a file that is no database, or cannot be made, is a clear error", () => {
    const file = join(scratch, "text.sqlite");
    writeFileSync(file, "this is not a database, and it is long enough to be read as a header of one".repeat(20));
    expect(() => createEmbeddingCache({ file })).toThrow(/cannot open the embedding cache/);
    expect(() => createEmbeddingCache({ file: join(file, "inside", "x.sqlite") })).toThrow(
      /cannot open the embedding cache/,
    );
    expect(existsSync(join(file, "inside"))).toBe(false);
  });

  it.each([
    ["too few vectors", [[1, 2]]],
    ["vectors of two widths", [[1, 2], [1]]],
    [
      "NaN",
      [
        [1, 2],
        [1, Number.NaN],
      ],
    ],
    ["nothing", undefined],
    ["no numbers", [[1, 2], "x"]],
    ["empty vectors", [[], []]],
  ])("an embedder that answers with %s is a provider error and nothing is kept", async (_, answer) => {
    const wrong = { embedDocuments: async () => answer, embedQuery: async () => [1] } as unknown as EmbeddingsInterface;
    const cache = createEmbeddingCache();
    await expect(cache.embed(named(wrong), "document", ["a", "b"])).rejects.toMatchObject({ code: "provider" });
    const embedder = new CountingEmbedder();
    await cache.embed(named(embedder), "document", ["a", "b"]);
    expect(embedder.documents).toEqual(["a", "b"]);
  });
});
