import { describe, expect, test } from "vitest";
import type { Metric } from "../../evals/benchmark.ts";
import { contextLine } from "../../evals/run-folder.ts";
import { scoreRecords } from "../../evals/score.ts";
import { qaSession, question, toolCall } from "./reports/invented-run.ts";

const length: Metric = { name: "length", score: (prediction) => Math.min(1, prediction.length / 10) };
const onlySums: Metric = { name: "sums", score: (_, { category }) => (category === "sum" ? 1 : null) };
const benchmark = { metrics: [length, onlySums] };

const evidence = [{ id: "D1:3", chunk: 0, start: 10, end: 20 }];
const contexts = [
  contextLine({ id: "c2", chunks: ["x"], facets: {}, questions: [question("1"), question("2", { category: "max" })] }),
  contextLine({ id: "c1", chunks: ["x"], facets: {}, questions: [question("1", { evidence })] }),
];
const score = (...records: ReturnType<typeof qaSession>[]) => scoreRecords(benchmark, contexts, records);

describe("scoring from records", () => {
  test("gives a line per question that has a session, in the order of contexts and questions, whatever the log's", () => {
    const lines = score(qaSession("c1", "1"), qaSession("c2", "2", { answer: "12345" }), qaSession("c2", "1"));
    expect(lines.map(({ session }) => session)).toEqual(["c2/t0/q1", "c2/t0/q2", "c1/t0/q1"]);
    expect(lines[1]).toMatchObject({ category: "max", prediction: "12345", metrics: { length: 0.5, sums: null } });
  });

  test("of a session that is in the log twice the last one counts", () => {
    const lines = score(
      qaSession("c2", "1", { answer: "" }),
      qaSession("c2", "1", { answer: "0123456789", attempt: 2 }),
    );
    expect(lines).toHaveLength(1);
    expect(lines[0]!.metrics.length).toBe(1);
  });

  test("a session that failed has no value by any metric, recall included; one without an acceptable text is scored as empty", () => {
    const error = { boundary: "policy" as const, code: "provider", message: "503" };
    const search = toolCall("memory_bm25_retrieve", {
      reads: [{ kind: "sub-chunk", id: "c0.0", rank: 1, score: 1, span: { chunk: 0, start: 0, end: 50 } }],
    });
    const [failed] = score(qaSession("c1", "1", { answer: null, end: "error", error, calls: [search] }));
    expect(failed).toMatchObject({
      prediction: null,
      metrics: { length: null, sums: null, "recall@5": null, "recall@20": null },
    });
    const [silent] = score(qaSession("c1", "1", { answer: null, end: "budget", calls: [search] }));
    expect(silent).toMatchObject({ prediction: "", metrics: { length: 0, "recall@5": 1 } });
  });

  test("evidence recall is absent where nothing was searched, and counts what the variant gave", () => {
    const [bankOnly] = score(qaSession("c1", "1", { calls: [toolCall("memory_key_retrieve")] }));
    expect(bankOnly!.metrics["recall@5"]).toBeNull();
    // the seventh passage holds it
    const given = Array.from({ length: 7 }, (_, i) => ({
      kind: "sub-chunk" as const,
      id: `c0.${i}`,
      rank: i + 1,
      score: 1,
      span: i === 6 ? { chunk: 0, start: 0, end: 30 } : { chunk: 0, start: 100 + i, end: 101 + i },
    }));
    const [rag] = score(qaSession("c1", "1", { given }));
    expect(rag!.metrics).toMatchObject({ "recall@5": 0, "recall@20": 1 });
  });

  test("sessions of unknown contexts or questions are left out", () => {
    expect(score(qaSession("c9", "1"), qaSession("c2", "9"))).toEqual([]);
  });
});
