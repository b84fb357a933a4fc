import { describe, expect, it } from "vitest";
import { rng } from "../../base/rng.ts";
import { createDense, type DenseOptions } from "../../retrieval/dense.ts";
import { createEmbeddingCache } from "../../retrieval/embedding-cache.ts";
import { StaticEmbeddings } from "../../retrieval/static-embedder.ts";
import { retrieverContract } from "../contracts/retriever.ts";
import { CountingEmbedder } from "./counting-embedder.ts";

async function dense(documents: readonly string[], options: Partial<DenseOptions> = {}) {
  const retriever = createDense({ embedder: new StaticEmbeddings(), ...options });
  await retriever.add(documents);
  return retriever;
}

retrieverContract("dense, exact", (documents) => dense(documents, { index: "exact" }));
retrieverContract("dense, hnsw", (documents) => dense(documents, { index: "hnsw" }));
retrieverContract("dense, any LangChain embedder", (documents) =>
  dense(documents, { embedder: new CountingEmbedder() }),
);

describe("dense best line", () => {
  const filler = "We talked about the weather and the long way home.";

  it("a document scores as its best line, so one line among many is found", async () => {
    const documents = [
      [filler, filler, "Her dog is called Biscuit.", filler, filler].join("\n"),
      [filler, "The dog park was closed.", "Dogs everywhere, and my dog hates the vet.", "Dog food is expensive."].join(
        "\n",
      ),
    ];
    const byLine = await dense(documents);
    const query = "Her dog is called Biscuit.";
    const [best] = await byLine.search(query, 1);
    expect(best!.index).toBe(0);
    expect(best!.score).toBeCloseTo(1, 5);
    const whole = await dense(documents, { lines: false });
    expect((await whole.search(query, 2)).find((hit) => hit.index === 0)!.score).toBeLessThan(0.95);
  });

  it("the whole document is one of its own lines", async () => {
    const retriever = await dense(["She plays the violin.\nHe repairs bicycles.", "She plays the violin."]);
    const query = "She plays the violin.\nHe repairs bicycles.";
    expect((await retriever.search(query, 1))[0]).toMatchObject({ index: 0, score: expect.closeTo(1, 5) });
  });

  it("a document or query without a known word never matches, in whatever index", async () => {
    for (const index of ["exact", "hnsw"] as const) {
      const retriever = await dense(["☃☃☃", "a dog", "", " \n "], { index });
      expect((await retriever.search("dog", 10)).map((hit) => hit.index)).toEqual([1]);
      expect(await retriever.search("☃", 10)).toEqual([]);
      expect(retriever.size).toBe(4);
    }
  });

  it("removed documents never match again and the positions stay", async () => {
    for (const index of ["exact", "hnsw"] as const) {
      const retriever = await dense(["a dog\nand a cat", "a budget", "two dogs"], { index });
      await retriever.remove([0]);
      await retriever.add(["a dog\nand a cat"]);
      const hits = await retriever.search("a dog and a cat", 10);
      expect(hits[0]!.index).toBe(3);
      expect(hits.map((hit) => hit.index).sort()).toEqual([1, 2, 3]);
      await expect(retriever.remove([9])).rejects.toMatchObject({ code: "config" });
    }
  });

  it("additions at the same time come in the order in which they were asked for", async () => {
    const retriever = createDense({ embedder: new StaticEmbeddings() });
    await Promise.all([retriever.add(["a dog"]), retriever.add(["a budget", "a train"]), retriever.add(["a violin"])]);
    for (const [index, query] of ["a dog", "a budget", "a train", "a violin"].entries()) {
      expect((await retriever.search(query, 1))[0]!.index).toBe(index);
    }
  });

  it("when the embedder fails nothing is added, and the next attempt is complete", async () => {
    const embedder = new CountingEmbedder();
    const retriever = await dense(["red"], { embedder });
    embedder.failures = 1;
    await expect(retriever.add(["blue", "green"])).rejects.toThrow("503");
    expect(retriever.size).toBe(1);
    await retriever.add(["blue", "green"]);
    expect((await retriever.search("green", 1))[0]!.index).toBe(2);
  });

  it("auto is exact for ordinary contexts and finds the same as hnsw", async () => {
    const random = rng("dense auto");
    const nouns = ["dog", "budget", "train", "violin", "garden", "river", "letter", "window", "market", "doctor"];
    const line = () =>
      `The ${random.pick(nouns)} near the ${random.pick(nouns)} was ${random.pick(["red", "old", "far", "loud"])}.`;
    const documents = Array.from({ length: 300 }, () => [line(), line(), line()].join("\n"));
    const [auto, hnsw] = [await dense(documents), await dense(documents, { index: "hnsw" })];
    expect([auto.kind, hnsw.kind]).toEqual(["exact", "hnsw"]);
    let common = 0;
    for (const query of nouns) {
      const exact = new Set((await auto.search(`old ${query} near the river`, 20)).map((hit) => hit.score.toFixed(4)));
      const found = await hnsw.search(`old ${query} near the river`, 20);
      expect(found).toHaveLength(20);
      common += found.filter((hit) => exact.has(hit.score.toFixed(4))).length;
    }
    expect(common / 200).toBeGreaterThanOrEqual(0.98);
    // a long list is answered too: the graph gives way to the exact pass
    expect(await hnsw.search("old dog", 300)).toEqual(await auto.search("old dog", 300));
  });

  it("auto becomes a graph beyond 5,000 documents", async () => {
    const documents = Array.from({ length: 5_000 }, (_, i) => `w${i % 97} w${i % 89} w${i % 83}`);
    const retriever = await dense(documents, { embedder: new CountingEmbedder({ width: 8 }) });
    expect(retriever.kind).toBe("exact");
    await retriever.add(["w1 w2 w3"]);
    expect(retriever.kind).toBe("hnsw");
    expect((await retriever.search("w1 w2 w3", 1))[0]!.score).toBeCloseTo(1, 5);
  });

  it("an unknown index kind is refused", () => {
    expect(() => createDense({ embedder: new StaticEmbeddings(), index: "ann" as "hnsw" })).toThrow(
      /auto, exact or hnsw/,
    );
  });
});

describe("what the cache calls an embedder", () => {
  const cache = createEmbeddingCache();

  it("its id or its model, unless a name is given", () => {
    const idOf = (options: DenseOptions) => createDense(options).embedderId;
    const own = new StaticEmbeddings();
    expect(idOf({ embedder: own, cache })).toBe(own.id);
    expect(idOf({ embedder: new CountingEmbedder({ model: "bag-64" }), cache })).toBe("bag-64");
    expect(idOf({ embedder: new CountingEmbedder(), embedderId: "mine", cache })).toBe("mine");
    const sized = Object.assign(new CountingEmbedder({ model: "bag" }), { dimensions: 64 });
    expect(idOf({ embedder: sized, cache })).toBe("bag-64");
  });

  it("an embedder without a name cannot share a cache", () => {
    expect(() => createDense({ embedder: new CountingEmbedder(), cache })).toThrow(/embedderId: expected a name/);
    expect(createDense({ embedder: new CountingEmbedder() }).size).toBe(0);
  });
});
