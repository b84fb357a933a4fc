/** The retrieval bench runs and says what it measured; no timing is judged here. */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it, vi } from "vitest";
import { run } from "../../bench/retrieval.ts";
import { measureQuality } from "../../bench/retrieval-quality.ts";

const scratch = mkdtempSync(join(tmpdir(), "umagraph-bench-"));
afterAll(() => rmSync(scratch, { recursive: true }));

const turn = (dia_id: string, speaker: string, text: string) => ({ dia_id, speaker, text });
const sample = {
  sample_id: "made-up",
  conversation: {
    session_2_date_time: "2 May",
    session_2: [turn("D2:1", "Ben", "The budget was approved.\n"), turn("D2:2", "Anna", "Good.")],
    session_1_date_time: "1 May",
    session_1: [{ ...turn("D1:1", "Anna", "I adopted a dog."), blip_caption: "a brown dog" }],
    session_3_date_time: "a date without a session",
  },
  qa: [
    { question: "Who adopted a dog?", category: 4, evidence: ["D1:1"] },
    { question: "What was approved?", category: 1, evidence: ["D2:1; D9:9"] },
    { question: "What about nothing?", category: 2, evidence: ["D"] },
    { question: "Adversarial?", category: 5, evidence: ["D1:1"] },
  ],
};

describe("the retrieval bench", () => {
  it("with --json prints one JSON value on stdout: every index at every size, what was left out, recall and quality", async () => {
    const locomo = join(scratch, "locomo.json");
    writeFileSync(locomo, JSON.stringify([sample]));
    const out = vi.spyOn(process.stdout, "write").mockReturnValue(true);
    const err = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    const result = await run({ json: true, locomo, sizes: [100, 300], winkUpTo: 100, hnswVectors: 200 }).finally(() => {
      err.mockRestore();
    });
    const printed = out.mock.calls.map(([text]) => String(text)).join("");
    out.mockRestore();
    expect(JSON.parse(printed)).toEqual(JSON.parse(JSON.stringify(result)));
    const left = result.speeds.filter((speed) => speed.queriesPerSecond === null);
    expect(left.map(({ index, documents }) => [index, documents])).toEqual([
      ["wink-bm25-text-search", 300],
      ["hnsw", 300],
    ]);
    for (const speed of left) expect(speed.note).toContain("left out above");
    for (const speed of result.speeds)
      if (speed.queriesPerSecond !== null) expect(speed.queriesPerSecond).toBeGreaterThan(0);
    expect(result.speeds.filter((speed) => speed.index === "bm25").map((speed) => speed.documents)).toEqual([100, 300]);
    expect(result.approximate).toMatchObject({ vectors: 200, dimension: 256, target: 0.98 });
    expect(result.quality).toMatchObject({ conversations: 1, questions: 2, subChunks: 1 });
    expect(result.quality!.methods[0]!.recallAt5.mean).toBe(100);
  });

  it("a file that is not LoCoMo is a clear error", async () => {
    const path = join(scratch, "wrong.json");
    writeFileSync(path, JSON.stringify([{ hello: 1 }]));
    await expect(measureQuality(path, () => {})).rejects.toMatchObject({ code: "input" });
    await expect(measureQuality(join(scratch, "none.json"), () => {})).rejects.toMatchObject({ code: "input" });
  });
});

const locomo = fileURLToPath(new URL("../../../shared/data/locomo/locomo10.json", import.meta.url));
describe.skipIf(!existsSync(locomo))("LoCoMo (skipped where ../shared/data/locomo is missing)", () => {
  it("finds the evidence as often as it should: BM25 ≥ 70, hybrid ≥ 73, with n-grams ≥ 75 % recall@5", async () => {
    const quality = await measureQuality(locomo, () => {});
    expect(quality).toMatchObject({ conversations: 10, questions: 1_535, subChunks: 1_142 });
    const targets = quality.methods.filter((method) => method.target !== null);
    expect(targets.map((method) => [method.method, method.target])).toEqual([
      ["bm25", 70],
      ["hybrid", 73],
      ["hybrid with n-grams", 75],
    ]);
    for (const { recallAt5, target } of targets) {
      expect(recallAt5.mean).toBeGreaterThanOrEqual(target!);
      expect(recallAt5.low).toBeLessThan(recallAt5.mean);
      expect(recallAt5.high).toBeGreaterThan(recallAt5.mean);
    }
  });
});
