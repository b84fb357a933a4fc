/** Exact and approximate indexes over vectors, and the guards around the native one. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HierarchicalNSW, type SpaceName } from "hnswlib-node";
import { afterAll, describe, expect, it, vi } from "vitest";
import { UmaError } from "../../base/errors.ts";
import { rng } from "../../base/rng.ts";
import { createExactDense } from "../../retrieval/exact-dense.ts";
import { createHnsw, createHnswOrExact } from "../../retrieval/hnsw.ts";
import { loadHnsw, saveHnsw } from "../../retrieval/hnsw-file.ts";
import * as published from "../../retrieval/index.ts";
import type { VectorIndex } from "../../retrieval/vector-index.ts";

const scratch = mkdtempSync(join(tmpdir(), "umagraph-hnsw-"));
afterAll(() => rmSync(scratch, { recursive: true }));

/** Clustered, as embeddings are. */
function clustered(name: string, count: number, dimension: number): number[][] {
  const random = rng(name);
  const centres = Array.from({ length: 30 }, () => Array.from({ length: dimension }, () => random.next() - 0.5));
  return Array.from({ length: count }, () => random.pick(centres).map((value) => value + 0.6 * (random.next() - 0.5)));
}

const rowsOf = (hits: readonly { row: number }[]) => hits.map((hit) => hit.row);

describe.each([
  ["exact", () => createExactDense()],
  ["hnsw", (): VectorIndex => createHnsw()],
])("vector index: %s", (_, create) => {
  it("ranks by cosine, whatever the lengths are", async () => {
    const index = create();
    await index.add([
      [2, 0],
      [0.1, 0.1],
      [0, 5],
    ]);
    const hits = index.search([1, 0], 3);
    expect(rowsOf(hits)).toEqual([0, 1, 2]);
    expect(hits[0]!.score).toBeCloseTo(1, 6);
    expect(hits[1]!.score).toBeCloseTo(Math.SQRT1_2, 6);
    expect(hits[2]!.score).toBeCloseTo(0, 6);
  });

  it("a vector at a right angle or behind is a hit, a zero vector never is", async () => {
    const index = create();
    await index.add([
      [0, 0],
      [0, 1],
      [-1, 0],
    ]);
    expect(rowsOf(index.search([1, 0], 10))).toEqual([1, 2]);
    expect(index.search([0, 0], 10)).toEqual([]);
  });

  it("only zero vectors, or none at all: no hits", async () => {
    const index = create();
    expect(index.search([1, 0], 5)).toEqual([]);
    expect(index.dimension).toBeNull();
    await index.add([[0, 0]]);
    expect(index.search([1, 0], 5)).toEqual([]);
    await index.add([[0, 1]]);
    expect(rowsOf(index.search([0, 1], 5))).toEqual([1]);
  });

  it("NaN, infinity, an empty vector and another dimension are refused and nothing of the batch is added", async () => {
    const index = create();
    await index.add([[1, 0]]);
    for (const wrong of [[Number.NaN, 1], [Number.POSITIVE_INFINITY, 0], [1], [1, 2, 3], []]) {
      await expect(async () => index.add([[0, 1], wrong])).rejects.toMatchObject({ code: "input" });
      expect(() => index.search(wrong, 5)).toThrow(UmaError);
    }
    expect(index.size).toBe(1);
    await expect(async () => create().add([[1, 0], [1]])).rejects.toMatchObject({ code: "input" });
  });

  it("k is clamped to what there is, and must be a count", async () => {
    const index = create();
    await index.add([
      [1, 0],
      [0, 1],
    ]);
    expect(index.search([1, 1], 1_000_000)).toHaveLength(2);
    expect(index.search([1, 1], 0)).toEqual([]);
    for (const wrong of [-1, 1.5, Number.NaN]) expect(() => index.search([1, 1], wrong)).toThrow(/topK: expected/);
  });

  it("equal vectors come in the order of their rows", async () => {
    const index = create();
    await index.add([
      [0, 1],
      [3, 0],
      [1, 0],
      [2, 0],
    ]);
    expect(rowsOf(index.search([1, 0], 3))).toEqual([1, 2, 3]);
  });

  it("grows far beyond its first room, one vector at a time and in batches", async () => {
    const vectors = clustered("growth", 700, 8);
    const index = create();
    for (const vector of vectors.slice(0, 300)) await index.add([vector]);
    await index.add(vectors.slice(300));
    expect(index.size).toBe(700);
    for (const row of [0, 299, 300, 699]) expect(index.search(vectors[row]!, 1)[0]!.row).toBe(row);
  });

  it("a restricted view equals an exact index of only the first vectors", async () => {
    const vectors = clustered("view", 300, 8);
    const index = create();
    await index.add(vectors);
    const part = createExactDense();
    await part.add(vectors.slice(0, 120));
    for (const query of clustered("view queries", 10, 8)) {
      expect(index.search(query, 15, { visible: 120 })).toEqual(part.search(query, 15));
    }
    expect(index.search(vectors[0]!, 5, { visible: 0 })).toEqual([]);
  });

  it("an erased row never comes back and its number is not used again", async () => {
    const index = create();
    await index.add([
      [1, 0],
      [0.9, 0.1],
      [0, 1],
    ]);
    await index.erase([0]);
    await index.erase([0]);
    expect(rowsOf(index.search([1, 0], 5))).toEqual([1, 2]);
    await index.add([[1, 0]]);
    expect(rowsOf(index.search([1, 0], 5))).toEqual([3, 1, 2]);
    for (const wrong of [4, -1, 1.5])
      await expect(async () => index.erase([wrong])).rejects.toMatchObject({ code: "config" });
    await index.erase([1, 2, 3]);
    expect(index.search([1, 0], 5)).toEqual([]);
  });
});

describe("hnsw", () => {
  it("finds at least 98 of 100 of the 20 best that the exact pass finds", async () => {
    const vectors = clustered("recall", 2_500, 32);
    const exact = createExactDense();
    const hnsw = createHnsw();
    await Promise.all([exact.add(vectors), hnsw.add(vectors)]);
    let found = 0;
    const queries = clustered("recall queries", 100, 32);
    for (const query of queries) {
      const best = new Set(rowsOf(exact.search(query, 20)));
      const hits = hnsw.search(query, 20);
      expect(hits).toHaveLength(20);
      found += hits.filter((hit) => best.has(hit.row)).length;
    }
    expect(found / (20 * queries.length)).toBeGreaterThanOrEqual(0.98);
  });

  it("the same vectors in the same order give the same answers, however they were batched", async () => {
    const vectors = clustered("same", 600, 8);
    const [one, two] = [createHnsw(), createHnsw()];
    await one.add(vectors);
    await Promise.all([two.add(vectors.slice(0, 250)), two.add(vectors.slice(250))]);
    for (const query of clustered("same queries", 20, 8)) expect(one.search(query, 10)).toEqual(two.search(query, 10));
  });

  it("is exact while the graph is behind", async () => {
    const vectors = clustered("behind", 500, 8);
    const index = createHnsw();
    const adding = index.add(vectors);
    const exact = createExactDense();
    await exact.add(vectors);
    expect(index.search(vectors[499]!, 5)).toEqual(exact.search(vectors[499]!, 5));
    await adding;
    expect(index.search(vectors[499]!, 1)[0]!.row).toBe(499);
  });

  it("is saved and loaded whole, with ef, and goes on growing", async () => {
    const vectors = [...clustered("saved", 400, 8), [0, 0, 0, 0, 0, 0, 0, 0]];
    const index = createHnsw({ ef: 77 });
    await index.add(vectors);
    const folder = join(scratch, "saved");
    await saveHnsw(index, folder, "model-a");
    const loaded = loadHnsw(folder, "model-a");
    expect(loaded.settings).toEqual(index.settings);
    expect(loaded.settings.ef).toBe(77);
    for (const query of clustered("saved queries", 20, 8)) {
      expect(loaded.search(query, 10)).toEqual(index.search(query, 10));
    }
    await loaded.add([[9, 9, 9, 9, -9, -9, -9, -9]]);
    expect(loaded.search([9, 9, 9, 9, -9, -9, -9, -9], 1)[0]!.row).toBe(401);
  });

  it("is saved and loaded by functions that the package gives out", async () => {
    const index = published.createHnsw();
    await index.add(clustered("published", 50, 4));
    const folder = join(scratch, "published");
    await published.saveHnsw(index, folder, "model-a");
    const query = clustered("published query", 1, 4)[0]!;
    expect(published.loadHnsw(folder, "model-a").search(query, 5)).toEqual(index.search(query, 5));
  });

  it("ef reaches the native index after loading", async () => {
    const index = createHnsw({ ef: 77 });
    await index.add([[1, 0]]);
    const folder = join(scratch, "ef");
    await saveHnsw(index, folder, "model-a");
    const made: HierarchicalNSW[] = [];
    class Watched extends HierarchicalNSW {
      constructor(space: SpaceName, dimension: number) {
        super(space, dimension);
        made.push(this);
      }
    }
    loadHnsw(folder, "model-a", { load: () => ({ HierarchicalNSW: Watched }) });
    expect(made.map((graph) => graph.getEf())).toEqual([77]);
  });

  it("saved after an erasure, no file in the folder holds the erased numbers", async () => {
    const index = createHnsw();
    const vectors = clustered("erased", 50, 8);
    await index.add(vectors);
    const secret = Buffer.from(index.rows.row(7).slice().buffer);
    const folder = join(scratch, "erased");
    await saveHnsw(index, folder, "model-a");
    const holding = () => readdirSync(folder).filter((name) => readFileSync(join(folder, name)).includes(secret));
    expect(holding()).toHaveLength(2);
    await index.erase([7]);
    await saveHnsw(index, folder, "model-a");
    expect(holding()).toEqual([]);
    expect(readdirSync(folder)).toHaveLength(3);
    expect(rowsOf(loadHnsw(folder, "model-a").search(vectors[7]!, 50))).not.toContain(7);
  });

  it("an index without points is saved and loaded too", async () => {
    const folder = join(scratch, "empty");
    await saveHnsw(createHnsw(), folder, "model-a");
    expect(loadHnsw(folder, "model-a").size).toBe(0);
    const zeros = createHnsw();
    await zeros.add([[0, 0]]);
    await saveHnsw(zeros, folder, "model-a");
    const loaded = loadHnsw(folder, "model-a");
    expect(loaded.size).toBe(1);
    await loaded.add([[1, 0]]);
    expect(rowsOf(loaded.search([1, 0], 5))).toEqual([1]);
  });

  it("another embedder, a missing, cut or changed file is a clear error", async () => {
    const index = createHnsw();
    await index.add(clustered("broken", 20, 8));
    const folder = join(scratch, "broken");
    await saveHnsw(index, folder, "model-a");
    expect(() => loadHnsw(folder, "model-b")).toThrow(/made with model-a, not with model-b/);
    expect(() => loadHnsw(join(scratch, "nowhere"), "model-a")).toThrow(/no whole vector index/);
    for (const name of readdirSync(folder)) {
      const whole = readFileSync(join(folder, name));
      writeFileSync(join(folder, name), whole.subarray(0, whole.length / 2));
      expect(() => loadHnsw(folder, "model-a")).toThrow(/no whole vector index/);
      writeFileSync(join(folder, name), whole);
    }
    expect(loadHnsw(folder, "model-a").size).toBe(20);
    writeFileSync(join(scratch, "file"), "");
    await expect(saveHnsw(index, join(scratch, "file"), "model-a")).rejects.toMatchObject({ code: "store" });
  });

  it("without the native library: exact search and one warning, or an error that says what to do", async () => {
    const load = () => {
      throw new UmaError("config", "hnswlib-node cannot be loaded", { fix: "npm rebuild hnswlib-node" });
    };
    const warn = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
    const index = createHnswOrExact({ load });
    expect(index.kind).toBe("exact");
    expect(createHnswOrExact({ load }).kind).toBe("exact");
    expect(warn).toHaveBeenCalledTimes(1);
    expect(String(warn.mock.calls[0]![0])).toContain("searching exactly instead");
    warn.mockRestore();
    await index.add([[1, 0]]);
    expect(rowsOf(index.search([1, 0], 1))).toEqual([0]);
    expect(() => createHnsw({ load })).toThrow(/cannot be loaded/);
  });
});
