import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { rng } from "../../base/rng.ts";
import { createBm25 } from "../../retrieval/bm25.ts";
import { cjk, rankBm25 } from "../../retrieval/tokenize.ts";
import { retrieverContract } from "../contracts/retriever.ts";

interface Small {
  readonly docs: string[][];
  readonly q: string[];
  readonly scores: number[];
  readonly idf: Record<string, number>;
}
const golden: {
  readonly docs: string[];
  readonly tokens: string[][];
  readonly idf: Record<string, number>;
  readonly queries: { query: string; tokens: string[]; scores: number[]; order: number[] }[];
  readonly single_doc: Small;
  readonly all_docs_term: Small;
} = JSON.parse(readFileSync(new URL("../golden/bm25_vectors.json", import.meta.url), "utf8"));

retrieverContract("bm25", async (documents) => createBm25(documents));
retrieverContract("bm25, rank-bm25 profile", async (documents) => createBm25(documents, { profile: "rank-bm25" }));

describe("profile rank-bm25 reproduces the golden vectors to 1e-9", () => {
  it("tokens of documents and queries", () => {
    expect(golden.docs.map(rankBm25)).toEqual(golden.tokens);
    for (const { query, tokens } of golden.queries) expect(rankBm25(query)).toEqual(tokens);
  });

  it("idf of every term", () => {
    const bm25 = createBm25(golden.docs, { profile: "rank-bm25" });
    for (const [term, idf] of Object.entries(golden.idf)) expect(bm25.idf(term)).toBeCloseTo(idf, 9);
    expect(Object.keys(golden.idf)).toHaveLength(41);
    expect(bm25.idf("unseen")).toBeNull();
  });

  it.each(golden.queries)("scores and order of “$query”", async ({ query, scores, order }) => {
    const bm25 = createBm25(golden.docs, { profile: "rank-bm25" });
    const ours = bm25.scores(query);
    expect(ours).toHaveLength(scores.length);
    scores.forEach((score, i) => {
      expect(Math.abs(ours[i]! - score)).toBeLessThan(1e-9);
    });
    const ranked = Array.from(ours.keys()).sort((a, b) => ours[b]! - ours[a]! || a - b);
    expect(ranked).toEqual(order);
    // a search leaves out what matches nothing and keeps the order of the rest
    const hits = await bm25.search(query, 100);
    expect(hits.map((hit) => hit.index)).toEqual(order.filter((i) => scores[i] !== 0));
  });

  it.each([
    ["one document", golden.single_doc],
    ["a term in every document", golden.all_docs_term],
  ])("negative idf is floored as published: %s", (_, { docs, q, scores, idf }) => {
    const bm25 = createBm25(
      docs.map((tokens) => tokens.join(" ")),
      { profile: "rank-bm25" },
    );
    for (const [term, value] of Object.entries(idf)) expect(bm25.idf(term)).toBeCloseTo(value, 9);
    bm25.scores(q.join(" ")).forEach((score, i) => {
      expect(Math.abs(score - scores[i]!)).toBeLessThan(1e-9);
    });
  });
});

describe("the default profile", () => {
  it("scores by hand: ln(1 + (N − n + ½)/(n + ½)) · tf·2.2 / (tf + 1.2·(0.25 + 0.75·|d|/avgdl))", () => {
    const bm25 = createBm25(["red red blue", "blue", "green grass"]);
    const idf = Math.log(1 + 2.5 / 1.5);
    expect(bm25.idf("red")).toBeCloseTo(idf, 12);
    expect(bm25.scores("red")[0]).toBeCloseTo((idf * 2 * 2.2) / (2 + 1.2 * (0.25 + (0.75 * 3) / 2)), 12);
  });

  it("idf is never negative: a term in every document still adds to the score", async () => {
    const bm25 = createBm25(["a b", "a c", "a"]);
    expect(bm25.idf("a")).toBeGreaterThan(0);
    expect((await bm25.search("a", 5)).map((hit) => hit.index)).toEqual([2, 0, 1]);
    expect((await createBm25(["a b"]).search("a", 1))[0]!.score).toBeGreaterThan(0);
  });

  it("a term that is asked for twice counts twice", () => {
    const bm25 = createBm25(["dog cat", "cat"]);
    expect(bm25.scores("dog dog")[0]).toBeCloseTo(2 * bm25.scores("dog")[0]!, 12);
  });

  it("names of object properties are words like any other", async () => {
    const bm25 = createBm25(["constructor __proto__ toString", "hasOwnProperty"]);
    expect((await bm25.search("constructor", 5)).map((hit) => hit.index)).toEqual([0]);
    expect(await bm25.search("valueOf", 5)).toEqual([]);
  });

  it.each([
    [{ k1: -1 }, "k1"],
    [{ k1: Number.NaN }, "k1"],
    [{ b: 1.1 }, "b"],
    [{ b: Number.NaN }, "b"],
    [{ profile: "okapi" as "lucene" }, "profile"],
    [{ analyser: "porter" as "word" }, "analyser"],
  ])("%j is refused", (options, field) => {
    expect(() => createBm25([], options)).toThrow(new RegExp(`^${field}: expected`));
  });
});

const words = fc.constantFrom("red", "blue", "green", "sun", "moon", "Straße", "日本", "x");
const text = fc.array(words, { maxLength: 12 }).map((terms) => terms.join(" "));
const corpus = fc.array(text, { maxLength: 25 });
const profile = fc.constantFrom("lucene" as const, "rank-bm25" as const);

/** The formula, term by term and document by document. */
function bruteForce(documents: readonly string[], query: string, k1 = 1.2, b = 0.75): number[] {
  const bags = documents.map(cjk);
  const average = bags.reduce((sum, bag) => sum + bag.length, 0) / bags.length;
  return bags.map((bag) =>
    cjk(query).reduce((sum, term) => {
      const tf = bag.filter((other) => other === term).length;
      const n = bags.filter((other) => other.includes(term)).length;
      if (tf === 0) return sum;
      const idf = Math.log(1 + (bags.length - n + 0.5) / (n + 0.5));
      return sum + (idf * tf * (k1 + 1)) / (tf + k1 * (1 - b + (b * bag.length) / average));
    }, 0),
  );
}

describe("BM25 properties", () => {
  it("equals brute force on any corpus, also when built in steps", () => {
    fc.assert(
      fc.property(corpus, text, fc.nat(25), (documents, query, cut) => {
        const bm25 = createBm25(documents.slice(0, cut));
        bm25.add(documents.slice(cut));
        const expected = bruteForce(documents, query);
        bm25.scores(query).forEach((score, i) => {
          expect(score).toBeCloseTo(expected[i]!, 10);
        });
      }),
    );
  });

  it("a restricted view scores bit for bit as an index of only those documents", async () => {
    await fc.assert(
      fc.asyncProperty(corpus, text, fc.nat(25), profile, async (documents, query, cut, name) => {
        const visible = Math.min(cut, documents.length);
        const whole = createBm25(documents, { profile: name });
        const part = createBm25(documents.slice(0, visible), { profile: name });
        expect(await whole.search(query, 30, { visible })).toEqual(await part.search(query, 30));
        expect(whole.scores(query, { visible })).toEqual(part.scores(query));
        // and looking at a part does not disturb the whole
        expect(whole.scores(query)).toEqual(createBm25(documents, { profile: name }).scores(query));
      }),
    );
  });

  it("after removals the others score as if the removed documents had never been there", () => {
    fc.assert(
      fc.property(corpus, text, fc.array(fc.nat(24)), corpus, profile, (documents, query, gone, later, name) => {
        const removed = new Set(gone.filter((position) => position < documents.length));
        const bm25 = createBm25(documents, { profile: name });
        bm25.scores(query); // caches must not outlive the removal
        bm25.remove([...removed]);
        bm25.add(later);
        const all = [...documents, ...later];
        const alive = all.flatMap((_, i) => (removed.has(i) ? [] : [i]));
        const fresh = createBm25(
          alive.map((i) => all[i]!),
          { profile: name },
        ).scores(query);
        const scores = bm25.scores(query);
        alive.forEach((i, position) => {
          expect(scores[i]).toBeCloseTo(fresh[position]!, 10);
        });
        for (const i of removed) expect(scores[i]).toBe(0);
      }),
    );
  });

  it("a removed document leaves no term behind and is no hit", async () => {
    const bm25 = createBm25(["secret plan", "open plan"]);
    bm25.remove([0]);
    expect(bm25.idf("secret")).toBeNull();
    expect(await bm25.search("secret", 5)).toEqual([]);
    expect((await bm25.search("plan", 5)).map((hit) => hit.index)).toEqual([1]);
    bm25.remove([0]);
    expect(() => bm25.remove([2])).toThrow(/position: expected one below 2/);
    bm25.remove([1]);
    expect(await bm25.search("plan", 5)).toEqual([]);
    bm25.add(["plan"]);
    expect((await bm25.search("plan", 5)).map((hit) => hit.index)).toEqual([2]);
  });

  it("an analyser that throws leaves the index as it was", async () => {
    const bm25 = createBm25(["good"], {
      analyser: (given) => {
        if (given === "bad") throw new Error("no");
        return given.split(" ");
      },
    });
    expect(() => bm25.add(["more good", "bad"])).toThrow("no");
    expect(bm25.size).toBe(1);
    expect(await bm25.search("good", 5)).toEqual(await createBm25(["good"]).search("good", 5));
  });
});

interface Wink {
  defineConfig(config: object): void;
  definePrepTasks(tasks: ((input: never) => unknown)[]): void;
  addDoc(document: object, id: number): void;
  consolidate(precision: number): void;
  search(query: string, limit: number): [string, number][];
}

describe("an independent implementation", () => {
  it("wink-bm25-text-search finds the same documents with the same scores", async () => {
    const random = rng("bm25 oracle");
    const vocabulary = Array.from({ length: 300 }, (_, i) => `w${i}`);
    const zipf = () => vocabulary[Math.floor(300 ** random.next()) - 1]!;
    const documents = Array.from({ length: 400 }, () => Array.from({ length: random.int(5, 60) }, zipf).join(" "));
    const wink: Wink = createRequire(import.meta.url)("wink-bm25-text-search")();
    wink.defineConfig({ fldWeights: { body: 1 }, bm25Params: { k1: 1.2, b: 0.75, k: 1 } });
    wink.definePrepTasks([(input: string) => cjk(input)]);
    documents.forEach((body, id) => {
      wink.addDoc({ body }, id);
    });
    wink.consolidate(9);
    const bm25 = createBm25(documents);
    for (let i = 0; i < 60; i++) {
      const query = Array.from({ length: random.int(1, 6) }, zipf).join(" ");
      const theirs = wink.search(query, 400).map(([id, score]) => [Number(id), score] as const);
      const ours = await bm25.search(query, 400);
      expect(ours.map((hit) => hit.index).sort()).toEqual(theirs.map(([id]) => id).sort());
      const scores = new Map(theirs);
      ours.forEach(({ index, score }, rank) => {
        expect(score).toBeCloseTo(scores.get(index)!, 5);
        expect(score).toBeCloseTo(theirs[rank]![1], 5);
      });
    }
  });
});
