import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createBm25 } from "../../retrieval/bm25.ts";
import { createEmbeddingCache } from "../../retrieval/embedding-cache.ts";
import { createSource, extendSource, type Source, type SourceOptions } from "../../retrieval/source.ts";
import { retrieverContract } from "../contracts/retriever.ts";
import { CountingEmbedder } from "./counting-embedder.ts";

const chunks = [
  "[2024-01-03] Anna: I adopted a brown dog.\n[2024-01-03] Ben: What is its name?\n[2024-01-03] Anna: Biscuit.",
  "[2024-02-10] Ben: The budget was approved.\n[2024-02-10] Anna: Good, then we can travel to Vienna.",
  "",
  "[2024-03-01] Anna: Biscuit the dog ran away and came back.\n[2024-03-01] Ben: What a relief.",
];
const searches = ["bm25", "embedding", "hybrid", "rrf"] as const;

/** A source as a retriever, one sub-chunk a document, so that the contract suite can run over each of its searches. */
const asRetriever =
  (search: (typeof searches)[number], options: SourceOptions = {}) =>
  async (documents: readonly string[]) => {
    const source = createSource(documents, options);
    expect(source.subChunks).toHaveLength(documents.length);
    return {
      name: search,
      // one chunk is one document here, so "positions below visible" is "chunks up to visible - 1"
      search: (query: string, topK: number, { visible, signal }: { visible?: number; signal?: AbortSignal } = {}) =>
        source[search](query, topK, {
          ...(visible === undefined ? {} : { upTo: visible - 1 }),
          ...(signal === undefined ? {} : { signal }),
        }),
    };
  };
for (const search of searches) {
  const skips = search === "rrf" ? { "equal scores": "a fused rank depends on the order of equal scores" } : {};
  retrieverContract(`source.${search}`, asRetriever(search), { skips });
}
retrieverContract("source.hybrid with n-grams", asRetriever("hybrid", { nGrams: true }));

describe("a source", () => {
  it("is named by its content and by how it is cut", () => {
    const id = createSource(chunks).id;
    expect(id).toMatch(/^[0-9a-f]{16}$/);
    expect(createSource([...chunks]).id).toBe(id);
    expect(createSource(chunks.slice(1)).id).not.toBe(id);
    expect(createSource([chunks.join("")]).id).not.toBe(id);
    expect(createSource(chunks, { maxChars: 50 }).id).not.toBe(id);
    expect(createSource(["ab", "c"]).id).not.toBe(createSource(["a", "bc"]).id);
    expect(createSource(["\ud800"]).id).not.toBe(createSource(["\ud801"]).id);
  });

  it("does not change when the list it was made from does, and cannot be changed", () => {
    const given = ["one", "two"];
    const source = createSource(given);
    given.push("three");
    expect(source.chunks).toEqual(["one", "two"]);
    expect(() => (source.chunks as string[]).push("three")).toThrow(TypeError);
    expect(() => (source.subChunks as unknown[]).pop()).toThrow(TypeError);
  });

  it("hits point into its sub-chunks", async () => {
    const source = createSource(chunks, { maxChars: 60 });
    for (const search of searches) {
      const [hit] = await source[search]("brown dog", 1);
      expect(source.subChunks[hit!.index]!.text).toContain("brown dog");
      expect(source.subChunks[hit!.index]!.id).toBe("c0.0");
    }
  });

  it("fused hits show their score in every list that held them", async () => {
    const source = createSource(chunks, { nGrams: true });
    const [bm25] = await source.bm25("Biscuit", 1);
    const hybrid = await source.hybrid("Biscuit", 3);
    const parts = hybrid.find((hit) => hit.index === bm25!.index)!.parts!;
    expect(Object.keys(parts)).toEqual(["bm25", "embedding", "n-grams"]);
    expect(parts.bm25).toBe(bm25!.score);
    expect(Object.keys((await source.rrf("Biscuit", 1))[0]!.parts!)).toEqual(["bm25", "embedding"]);
    expect(bm25!.parts).toBeUndefined();
  });

  it("n-grams find a misspelt word that BM25 and the table do not know", async () => {
    const texts = ["Anna works as a dermatologist.", "Ben works as a carpenter.", "Carla works as a teacher."];
    expect(await createSource(texts).bm25("dermatologgist", 3)).toEqual([]);
    const [best] = await createSource(texts, { nGrams: true }).hybrid("dermatologgist", 3);
    expect(best!.index).toBe(0);
  });

  it("Chinese is found by default, by its words inside unspaced text", async () => {
    const source = createSource(["今天我在东京买了一台照相机。", "昨天我们去了北京的公园。"]);
    expect((await source.bm25("北京", 1)).map((hit) => hit.index)).toEqual([1]);
    expect((await source.bm25("园", 2)).map((hit) => hit.index)).toEqual([1]);
    expect((await source.hybrid("照相机", 1))[0]!.index).toBe(0);
  });

  it("an empty context answers with no hits", async () => {
    for (const source of [createSource([]), createSource(["", " \n"])]) {
      for (const search of searches) expect(await source[search]("dog", 5)).toEqual([]);
    }
  });

  it.each([-2, 1.5, Number.NaN])("upTo of %s is refused", async (upTo) => {
    await expect(createSource(chunks).hybrid("dog", 5, { upTo })).rejects.toMatchObject({ code: "config" });
  });

  it("wrong options are refused when the source is made, not at the first question", () => {
    expect(() => createSource(chunks, { maxChars: 1 })).toThrow(/maxChars/);
    expect(() => createSource(chunks, { analyser: "porter" as "word" })).toThrow(/analyser/);
    expect(() => createSource(chunks, { bm25: { b: 2 } })).toThrow(/b: expected/);
    expect(() => createSource(chunks, { embedder: new CountingEmbedder(), dense: "ann" as "hnsw" })).toThrow(/dense/);
    expect(() => createSource(chunks, { dense: "ann" as "hnsw" })).toThrow(/dense/);
    expect(() => createSource(chunks, { embedder: new CountingEmbedder(), cache: createEmbeddingCache() })).toThrow(
      /embedderId/,
    );
  });
});

describe("questions in mid-stream", () => {
  it("see the chunks up to theirs and score as if there were no others", async () => {
    const word = fc.constantFrom("dog", "budget", "train", "violin", "red", "old", "☃");
    const chunk = fc.array(
      fc.array(word, { maxLength: 6 }).map((words) => words.join(" ")),
      { maxLength: 6 },
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          chunk.map((lines) => lines.join("\n")),
          { maxLength: 6 },
        ),
        fc.integer({ min: -1, max: 6 }),
        fc.array(word, { minLength: 1, maxLength: 4 }),
        async (all, upTo, query) => {
          const options = { maxChars: 20, nGrams: true };
          const whole = createSource(all, options);
          const part = createSource(all.slice(0, upTo + 1), options);
          for (const search of searches) {
            const seen = await whole[search](query.join(" "), 8, { upTo });
            expect(seen).toEqual(await part[search](query.join(" "), 8));
          }
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe("indexes are built once", () => {
  it("on first use, however many ask at the same time, and never for BM25 alone", async () => {
    const embedder = new CountingEmbedder();
    const source = createSource(chunks, { embedder });
    await source.bm25("dog", 5);
    expect(embedder.documents).toEqual([]);
    const answers = await Promise.all(Array.from({ length: 10 }, () => source.embedding("dog", 5)));
    expect(new Set(embedder.documents).size).toBe(embedder.documents.length);
    expect(embedder.documents.length).toBeGreaterThan(5);
    expect(embedder.queries).toEqual(["dog"]);
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    await Promise.all(searches.map((search) => source[search]("dog", 5)));
    expect(embedder.queries).toEqual(["dog"]);
  });

  it("a failed build is tried again by the next caller", async () => {
    const embedder = new CountingEmbedder();
    embedder.failures = 1;
    const source = createSource(chunks, { embedder });
    await expect(source.hybrid("dog", 5)).rejects.toThrow("503");
    expect((await source.hybrid("dog", 5)).length).toBeGreaterThan(0);
  });

  it("a caller who gives up does not stop the build for the others", async () => {
    const embedder = new CountingEmbedder();
    const source = createSource(chunks, { embedder });
    const leaving = new AbortController();
    const cancelled = source.embedding("dog", 5, { signal: leaving.signal });
    const staying = source.embedding("dog", 5);
    leaving.abort();
    await expect(cancelled).rejects.toMatchObject({ code: "cancelled" });
    expect((await staying).length).toBeGreaterThan(0);
    expect(new Set(embedder.documents).size).toBe(embedder.documents.length);
  });

  it("a cache is shared by sources", async () => {
    const cache = createEmbeddingCache();
    const embedder = new CountingEmbedder({ model: "bag-64" });
    await createSource(chunks, { embedder, cache }).embedding("dog", 5);
    const before = embedder.documents.length;
    await createSource([...chunks, "A new line."], { embedder, cache }).embedding("dog", 5);
    expect(embedder.documents.slice(before)).toEqual(["A new line."]);
  });
});

describe("a stream that goes on", () => {
  const answers = async (source: Source) =>
    Promise.all(searches.map((search) => source[search]("Where is the dog Biscuit?", 5)));

  it("an extended source equals one made of all chunks; the old one answers as before", async () => {
    const options = { maxChars: 60, nGrams: true };
    const old = createSource(chunks.slice(0, 2), options);
    const before = await answers(old);
    const extended = extendSource(old, chunks.slice(2));
    const fresh = createSource(chunks, options);
    expect(extended.id).toBe(fresh.id);
    expect(extended.subChunks).toEqual(fresh.subChunks);
    expect(await answers(extended)).toEqual(await answers(fresh));
    expect(await answers(old)).toEqual(before);
    expect(old.chunks).toHaveLength(2);
  });

  it("two extensions of one source do not see each other's chunks", async () => {
    const old = createSource(chunks.slice(0, 2));
    await answers(old);
    const [left, right] = [
      extendSource(old, ["Only left knows the dog Rex."]),
      extendSource(old, ["Only right: a train."]),
    ];
    expect((await left.bm25("train", 5)).length).toBe(0);
    expect((await right.bm25("Rex", 5)).length).toBe(0);
    expect(await answers(right)).toEqual(await answers(createSource([...chunks.slice(0, 2), "Only right: a train."])));
    expect(await answers(left)).toEqual(
      await answers(createSource([...chunks.slice(0, 2), "Only left knows the dog Rex."])),
    );
  });

  it("embeds only what is new", async () => {
    const embedder = new CountingEmbedder();
    const old = createSource(chunks, { embedder });
    await old.embedding("dog", 5);
    const before = embedder.documents.length;
    await extendSource(old, ["The end."]).embedding("dog", 5);
    expect(embedder.documents.slice(before)).toEqual(["The end."]);
  });

  it("only a source can be extended", () => {
    expect(() => extendSource({ ...createSource(["a"]) }, ["b"])).toThrow(/expected a source made by createSource/);
  });
});

describe("stand-ins", () => {
  it("take the place of a list in every search that uses it", async () => {
    const seen: number[] = [];
    const source = createSource(chunks, {
      retrievers: {
        embedding: (subChunks) => ({
          name: "newest first",
          search: async (_query, topK, { visible = subChunks.length } = {}) => {
            seen.push(visible);
            return Array.from({ length: Math.min(topK, visible) }, (_, i) => ({ index: visible - 1 - i, score: -i }));
          },
        }),
        bm25: async (subChunks) => createBm25(subChunks.map((piece) => piece.text)),
      },
    });
    expect((await source.embedding("anything", 1)).map((hit) => hit.index)).toEqual([2]);
    expect((await source.embedding("anything", 1, { upTo: 0 })).map((hit) => hit.index)).toEqual([0]);
    expect(seen).toEqual([3, 1]);
    expect((await source.rrf("Biscuit", 1))[0]!.index).toBe(2);
    expect((await source.bm25("budget", 3)).map((hit) => hit.index)).toEqual([1]);
    const extended = extendSource(source, ["The budget again."]);
    expect((await extended.bm25("budget again", 3)).map((hit) => hit.index)).toEqual([3, 1]);
  });

  it("are made once, and again when making them failed", async () => {
    let made = 0;
    const source = createSource(chunks, {
      retrievers: {
        bm25: async (subChunks) => {
          made++;
          if (made === 1) throw new Error("the store is down");
          return createBm25(subChunks.map((piece) => piece.text));
        },
      },
    });
    await expect(source.bm25("dog", 5)).rejects.toThrow("the store is down");
    await Promise.all([source.bm25("dog", 5), source.hybrid("dog", 5), source.rrf("dog", 5)]);
    expect(made).toBe(2);
  });
});
