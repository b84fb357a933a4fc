import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { estimateTokens } from "../../policies/token-estimator.ts";
import { keepEnd, keepStart, longestFit } from "../../tools/cut-text.ts";
import { executeCalls } from "../../tools/execute-calls.ts";
import { cutObservation, type ListObservation } from "../../tools/observation.ts";
import { perCharacter, perWord } from "../support/scripts.ts";
import { bankOf, callOf, options, smallSource, worldOf } from "../support/worlds.ts";

const list = (items: readonly string[]): ListObservation => ({
  items,
  render: (shown, omitted) => JSON.stringify({ shown, ...(omitted > 0 && { left_out: omitted }) }),
});

const graphemesOf = (text: string) => [...new Intl.Segmenter("und").segment(text)].map(({ segment }) => segment);

describe("rule 5: observations are cut at whole items, say how many were left out, and stay valid JSON", () => {
  it("an observation that fits is left as it is", () => {
    expect(cutObservation("abc", 3, perCharacter)).toEqual({ text: "abc", tokens: 3, shown: 0, omitted: 0 });
    const whole = list(["a", "b"]);
    expect(cutObservation(whole, 19, perCharacter)).toEqual({
      text: '{"shown":["a","b"]}',
      tokens: 19,
      shown: 2,
      omitted: 0,
    });
  });

  it("a list keeps the longest beginning of whole items that fits", () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ maxLength: 30 }), { maxLength: 40 }),
        fc.integer({ min: 30, max: 600 }),
        (items, max) => {
          const cut = cutObservation(list(items), max, perCharacter);
          const parsed = JSON.parse(cut.text) as { shown: string[]; left_out?: number };
          expect(parsed.shown).toEqual(items.slice(0, cut.shown));
          expect(cut.shown + cut.omitted).toBe(items.length);
          expect(parsed.left_out ?? 0).toBe(cut.omitted);
          expect(cut.tokens).toBe(cut.text.length);
          if (cut.shown > 0) expect(cut.tokens).toBeLessThanOrEqual(max);
          if (cut.omitted > 0) {
            const onlyOneMore = items.length - cut.shown - 1;
            expect(list(items).render(items.slice(0, cut.shown + 1), onlyOneMore).length).toBeGreaterThan(max);
          }
        },
      ),
      { seed: 1 },
    );
  });

  it("a list keeps exactly what trying every length finds, for any counter that grows with the list", () => {
    const counters = {
      perCharacter,
      perWord,
      estimateTokens,
      quarters: (text: string) => Math.ceil(text.length / 4),
      dear: (text: string) => text.length * 50,
      steps: (text: string) => Math.ceil(text.length / 100) * 100,
    };
    const item = fc.oneof(
      fc.string({ maxLength: 12 }),
      fc.string({ unit: "binary", maxLength: 40 }),
      fc.constantFrom("", " ", "a b c d e f", "word ".repeat(60), "x".repeat(700), "漢字".repeat(40), "\n".repeat(30)),
    );
    fc.assert(
      fc.property(
        fc.array(item, { maxLength: 90 }),
        fc.oneof(
          fc.integer({ min: 0, max: 60 }),
          fc.integer({ min: 0, max: 1_500 }),
          fc.integer({ max: 60_000, min: 0 }),
        ),
        fc.constantFrom(...Object.values(counters)),
        (items, max, count) => {
          const sizes = items.map((_, shown) => count(list(items).render(items.slice(0, shown), items.length - shown)));
          const whole = count(list(items).render(items, 0)) <= max;
          const expected = whole
            ? items.length
            : Math.max(
                0,
                sizes.findLastIndex((tokens) => tokens <= max),
              );
          expect(cutObservation(list(items), max, count).shown).toBe(expected);
        },
      ),
      { numRuns: 1_500, seed: 2 },
    );
  });

  it("a long list is not rendered and counted again and again to keep a little of it", async () => {
    const shapes = [
      (i: number) => `2024-03-${(i % 28) + 1} expense ${i}`,
      (i: number) => "é漢x, ".repeat(1 + ((i * 7_919) % 23)),
      (i: number) => "some words here ".repeat(1 + ((i * 31) % 5)),
    ];
    for (const count of [estimateTokens, perCharacter, perWord]) {
      for (const shape of shapes) {
        const counted = { texts: 0, units: 0 };
        const items = Array.from({ length: 5_000 }, (_, i) => shape(i));
        const cut = cutObservation(list(items), 4_096, (text) => {
          counted.texts++;
          counted.units += text.length;
          return count(text);
        });
        expect(cut.omitted).toBeGreaterThan(2_000);
        expect(counted.texts).toBeLessThanOrEqual(8);
        expect(counted.units).toBeLessThan(10 * cut.text.length);
      }
    }
    const unitsFor = async (entries: number) => {
      let units = 0;
      const bank = bankOf(Array.from({ length: entries }, (_, i) => [shapes[0]!(i), ""] as const));
      const countTokens = (text: string) => {
        units += text.length;
        return estimateTokens(text);
      };
      await executeCalls(worldOf(bank), [callOf("memory_list", {})], options({ maxObservation: 4_096, countTokens }));
      return units;
    };
    expect(await unitsFor(12_000)).toBeLessThan(2 * (await unitsFor(1_500)));
  });

  it("text is cut between graphemes and says how many characters were left out", () => {
    const family = "👩‍👩‍👧‍👦";
    const text = `${"x".repeat(50)}${family.repeat(20)}`;
    for (let max = 60; max < text.length; max += 7) {
      const { text: cut, tokens } = cutObservation(text, max, perCharacter);
      const [, kept = "", left, all] = /^([\s\S]*)\n\[cut: (\d+) of (\d+) characters left out\]$/.exec(cut)!;
      expect(text.startsWith(kept)).toBe(true);
      expect(Number(left)).toBe(text.length - kept.length);
      expect(Number(all)).toBe(text.length);
      expect(graphemesOf(kept).join("")).toBe(kept);
      expect(graphemesOf(text).slice(0, graphemesOf(kept).length).join("")).toBe(kept);
      expect(tokens).toBeLessThanOrEqual(max);
    }
  });

  it("a huge text is not counted whole to keep a little of it", () => {
    let counted = 0;
    const text = "word ".repeat(400_000);
    cutObservation(text, 100, (part) => {
      counted += part.length;
      return Math.ceil(part.length / 4);
    });
    expect(counted).toBeLessThan(text.length + 100_000);
  });

  it("a search shows whole documents only; the reads of those left out are not recorded", async () => {
    const world = worldOf(undefined, smallSource());
    const ask = (maxObservation: number) =>
      executeCalls(
        world,
        [callOf("memory_bm25_retrieve", { query: "Ada Mara Ben" })],
        options({ phase: "qa", maxObservation }),
      );
    const whole = (await ask(100_000)).results[0]!;
    expect(JSON.parse(whole.observation).results).toHaveLength(3);
    const cut = (await ask(whole.observation.length - 1)).results[0]!;
    const shown = JSON.parse(cut.observation) as { results: unknown[]; left_out: number };
    expect(shown.left_out).toBe(3 - shown.results.length);
    expect(shown.results).toEqual(JSON.parse(whole.observation).results.slice(0, shown.results.length));
    expect(cut.reads).toEqual(whole.reads.slice(0, shown.results.length));
  });

  it("a listing that is cut counts all titles and those left out", async () => {
    const titles = Array.from({ length: 200 }, (_, i) => [`title ${i}`, ""] as const);
    const { results } = await executeCalls(
      worldOf(bankOf(titles)),
      [callOf("memory_list", {})],
      options({ maxObservation: 500 }),
    );
    const shown = JSON.parse(results[0]!.observation);
    expect(shown.total).toBe(200);
    expect(shown.titles.length + shown.left_out).toBe(200);
    expect(shown.titles[0]).toBe("title 0");
    expect(results[0]!.observation.length).toBeLessThanOrEqual(500);
  });

  it("one very long title does not push the others out of a listing", async () => {
    const long = "x".repeat(1_000_000);
    const { world } = await executeCalls(
      worldOf(),
      [callOf("memory_add", { title: long, content: "" }), callOf("memory_add", { title: "short", content: "" })],
      options(),
    );
    const { results } = await executeCalls(world, [callOf("memory_list", {})], options({ maxObservation: 4_096 }));
    expect(JSON.parse(results[0]!.observation)).toEqual({ titles: ["short"], total: 1 });
  });
});

describe("cutting text", () => {
  it("longestFit finds the largest size that fits, from any guess", () => {
    fc.assert(
      fc.property(fc.nat(2_000), fc.nat(2_500), fc.nat(3_000), (size, limit, guess) => {
        expect(longestFit(size, (n) => n <= limit, guess)).toBe(Math.min(size, limit));
      }),
    );
    expect(longestFit(-1, () => false)).toBe(0);
  });

  it("keepStart and keepEnd keep as many whole graphemes as fit", () => {
    const units = fc.constantFrom("a", "é", "🇩🇪", "👩‍👩‍👧", "\r\n", "漢", " ", "e\u0301");
    fc.assert(
      fc.property(fc.array(units, { maxLength: 60 }), fc.nat(120), (parts, max) => {
        const text = parts.join("");
        const clusters = graphemesOf(text);
        let fromStart = "";
        for (const cluster of clusters) {
          if (fromStart.length + cluster.length > max) break;
          fromStart += cluster;
        }
        let fromEnd = "";
        for (const cluster of clusters.reverse()) {
          if (fromEnd.length + cluster.length > max) break;
          fromEnd = cluster + fromEnd;
        }
        expect(keepStart(text, max, perCharacter)).toBe(fromStart);
        expect(keepEnd(text, max, perCharacter)).toBe(fromEnd);
      }),
      { seed: 5, numRuns: 300 },
    );
  });
});
