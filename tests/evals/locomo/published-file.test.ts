import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { validate } from "../../../evals/benchmark.ts";
import { knownBadGold } from "../../../evals/benchmarks/locomo/known-bad-gold.ts";
import { loadLocomo, locomo } from "../../../evals/benchmarks/locomo/locomo.ts";

// CC BY-NC data, never part of the repository
const data = fileURLToPath(new URL("../../../../shared/data/locomo/locomo10.json", import.meta.url));
const absent = existsSync(data) ? "" : " (skipped: the published file is not here)";

describe.skipIf(absent !== "")(`the published locomo10.json${absent}`, () => {
  const config = (options: object = {}) => locomo.config.parse({ data, ...options });
  const loaded = (options: object = {}) => {
    const found = loadLocomo(config(options));
    return { ...found, questions: found.contexts.flatMap((context) => context.questions) };
  };

  test("Table 7: 10 conversations, 198.6 questions and 27.2 chunks each", () => {
    const { contexts, questions } = loaded();
    expect(contexts.map((context) => context.id)).toEqual(
      [26, 30, 41, 42, 43, 44, 47, 48, 49, 50].map((number) => `conv-${number}`),
    );
    expect(questions).toHaveLength(1_986);
    expect(contexts.flatMap((context) => context.chunks)).toHaveLength(272);
    expect(contexts[0]!.chunks).toHaveLength(19);
  });

  test("questions per category are the published counts", () => {
    const counts: Record<string, number> = {};
    for (const { category } of loaded().questions) counts[category] = (counts[category] ?? 0) + 1;
    expect(counts).toEqual({
      "multi-hop": 282,
      temporal: 321,
      "open-domain": 96,
      "single-hop": 841,
      adversarial: 446,
    });
  });

  test("444 adversarial rows have no gold of their own", () => {
    const { questions } = loaded({ adversarial: "as-is" });
    expect(questions.filter((question) => question.answer === null)).toHaveLength(444);
    expect(questions.filter((question) => question.adversarialAnswer !== undefined)).toHaveLength(446);
  });

  test("the seeded order of options is near even", () => {
    const golds = loaded({ categories: [5] }).questions.map((question) => question.answer);
    expect(golds.every((gold) => gold === "A" || gold === "B")).toBe(true);
    expect(Math.abs(golds.filter((gold) => gold === "A").length / golds.length - 0.5)).toBeLessThan(0.07);
  });

  test("all evidence is placed but for three ids, and four questions have none", () => {
    const { unplacedEvidence, questions } = loaded();
    expect(unplacedEvidence).toEqual([
      { question: "conv-42:58", id: "D10:19" },
      { question: "conv-42:88", id: "D" },
      { question: "conv-47:38", id: "D4:36" },
    ]);
    expect(questions.filter((question) => question.evidence?.length === 0)).toHaveLength(4);
  });

  test("every span is one whole line of its chunk", () => {
    for (const { chunks, questions } of loaded().contexts)
      for (const span of questions.flatMap((question) => question.evidence ?? [])) {
        const chunk = chunks[span.chunk]!;
        expect(chunk[span.start - 1]).toBe("\n");
        expect(chunk[span.end]).toBe("\n");
        expect(chunk.slice(span.start, span.end)).toMatch(/^\S+ said, "[^\n]*"/);
      }
  });

  test("chunks are near the 92,430 characters per conversation of the published layout", () => {
    const characters =
      loaded()
        .contexts.flatMap((context) => context.chunks)
        .join("").length / 10;
    expect(Math.abs(characters / 92_430 - 1)).toBeLessThan(0.02);
  });

  test("the bundled list of bad golds leaves out every row that it names", () => {
    const { questions, leftOut } = loaded({ badGold: "drop" });
    expect(leftOut).toHaveLength(knownBadGold.length);
    expect(questions).toHaveLength(1_986 - knownBadGold.length);
    expect(new Set(knownBadGold.map((entry) => entry.id)).size).toBe(knownBadGold.length);
  });

  test("gold answers score 1", async () => {
    expect(await validate(locomo, config())).toEqual([]);
    expect(await validate(locomo, config({ adversarial: "as-is" }))).toEqual([]);
  });
});
