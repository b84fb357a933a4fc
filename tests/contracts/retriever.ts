/** What every retriever does, whatever ranks its documents. */
import { describe, expect, it } from "vitest";
import type { Retriever } from "../../retrieval/retriever.ts";

/** Position 2 and 6 are equal, so are 3 and 8; 9 has no known word. */
export const contractDocuments = [
  "Anna adopted a small brown dog from the shelter.",
  "The quarterly budget was approved unanimously.",
  "We met for coffee in the old town.",
  "Ben bought two tickets for the concert in Vienna.",
  "The dog sleeps in the kitchen and barks at night.",
  "Snow fell on the mountains in November.",
  "We met for coffee in the old town.",
  "Her train to Vienna leaves at seven.",
  "Ben bought two tickets for the concert in Vienna.",
  "☃☃☃",
  "Carla planted tomatoes and basil on the balcony.",
];

export type RetrieverTest = "equal scores" | "restricted view" | "more than there are" | "own text" | "cancelled";

export interface RetrieverContractOptions {
  /** A test that cannot hold for this retriever, and why. */
  readonly skips?: Partial<Record<RetrieverTest, string>>;
}

export function retrieverContract(
  name: string,
  make: (documents: readonly string[]) => Promise<Retriever>,
  options: RetrieverContractOptions = {},
): void {
  const test = (key: RetrieverTest) => {
    const why = options.skips?.[key];
    return (title: string, body: () => Promise<void>) =>
      why === undefined ? it(title, body) : it.skip(`${title} (${why})`, body);
  };
  const queries = ["Where did Anna adopt her dog?", "tickets for a concert in Vienna", "coffee in town", "the"];

  describe(`retriever contract: ${name}`, () => {
    it("hits come best first, each document at most once, at most topK of them", async () => {
      const retriever = await make(contractDocuments);
      for (const query of queries) {
        for (const topK of [1, 3, 5]) {
          const hits = await retriever.search(query, topK);
          expect(hits.length).toBeLessThanOrEqual(topK);
          expect(new Set(hits.map((hit) => hit.index)).size).toBe(hits.length);
          hits.forEach((hit, i) => {
            expect(contractDocuments[hit.index]).toBeDefined();
            expect(Number.isFinite(hit.score)).toBe(true);
            if (i > 0) expect(hit.score).toBeLessThanOrEqual(hits[i - 1]!.score);
          });
        }
      }
    });

    it("a shorter list is the beginning of a longer one", async () => {
      const retriever = await make(contractDocuments);
      for (const query of queries.slice(0, 1)) {
        const five = await retriever.search(query, 5);
        expect(five.length).toBeGreaterThan(0);
        expect(await retriever.search(query, 1)).toEqual(five.slice(0, 1));
      }
    });

    test("own text")("a document is found first by its own text", async () => {
      const retriever = await make(contractDocuments);
      for (const index of [0, 1, 4, 5, 7, 10]) {
        expect((await retriever.search(contractDocuments[index]!, 3))[0]?.index).toBe(index);
      }
    });

    test("equal scores")("equal scores come in the order of the documents", async () => {
      const retriever = await make(contractDocuments);
      const coffee = await retriever.search("coffee in the old town", 4);
      expect(coffee.slice(0, 2).map((hit) => hit.index)).toEqual([2, 6]);
      expect(coffee[0]!.score).toBe(coffee[1]!.score);
      expect((await retriever.search("two tickets for a concert", 2)).map((hit) => hit.index)).toEqual([3, 8]);
    });

    test("more than there are")("asking for more than there are gives what there is", async () => {
      const retriever = await make(contractDocuments.slice(0, 3));
      const hits = await retriever.search("Anna met for coffee", 50);
      expect(hits.length).toBeGreaterThan(0);
      expect(hits.length).toBeLessThanOrEqual(3);
    });

    test("restricted view")("a restricted view sees only documents before its end", async () => {
      const retriever = await make(contractDocuments);
      for (let visible = 0; visible <= contractDocuments.length; visible++) {
        for (const query of queries) {
          for (const hit of await retriever.search(query, 4, { visible })) expect(hit.index).toBeLessThan(visible);
        }
      }
      expect((await retriever.search("two tickets for a concert", 1, { visible: 8 }))[0]?.index).toBe(3);
      expect(await retriever.search("coffee", 5, { visible: 10_000 })).toEqual(await retriever.search("coffee", 5));
    });

    it("nothing is asked for, nothing may be seen or nothing was said: no hits", async () => {
      const retriever = await make(contractDocuments);
      expect(await retriever.search("coffee", 0)).toEqual([]);
      expect(await retriever.search("coffee", 5, { visible: 0 })).toEqual([]);
      expect(await retriever.search("", 5)).toEqual([]);
      expect(await retriever.search(" \n\t ", 5)).toEqual([]);
    });

    it("no documents: no hits", async () => {
      expect(await (await make([])).search("coffee", 5)).toEqual([]);
    });

    it.each([-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])("topK or visible of %s is refused", async (wrong) => {
      const retriever = await make(contractDocuments);
      await expect(retriever.search("coffee", wrong)).rejects.toMatchObject({ name: "UmaError", code: "config" });
      await expect(retriever.search("coffee", 5, { visible: wrong })).rejects.toMatchObject({ code: "config" });
    });

    test("cancelled")("a search that was cancelled before it began does not answer", async () => {
      const retriever = await make(contractDocuments);
      const signal = AbortSignal.abort();
      await expect(retriever.search("coffee", 5, { signal })).rejects.toMatchObject({ code: "cancelled" });
      expect((await retriever.search("coffee", 5)).length).toBeGreaterThan(0);
    });

    it("searches at the same time give what they give one after the other", async () => {
      const retriever = await make(contractDocuments);
      const together = await Promise.all(queries.map((query) => retriever.search(query, 5)));
      for (const [i, query] of queries.entries()) expect(await retriever.search(query, 5)).toEqual(together[i]);
    });
  });
}
