import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { UmaError } from "../../base/errors.ts";
import type { Benchmark } from "../../evals/benchmark.ts";
import type { EvaluateProgress } from "../../evals/evaluate.ts";
import { createRunFolder, openRunFolder, readContexts, readRecords, readScores } from "../../evals/run-folder.ts";
import type { SessionRecord } from "../../nodes/session/record.ts";
import { createSource } from "../../retrieval/source.ts";
import { wordKeeper, wordsBenchmark } from "./invented-benchmark.ts";
import { resultsOf, resumeWords, runWords, wordsConfig } from "./run-words.ts";

let parent: string;
let runs = 0;
const fresh = () => join(parent, `run-${++runs}`);
beforeAll(() => {
  parent = mkdtempSync(join(tmpdir(), "umagraph-evaluate-"));
});
afterAll(() => rmSync(parent, { recursive: true }));

describe("evaluate", () => {
  test("gives the same records and scores whatever the concurrency", async () => {
    const [one, three, eight] = await Promise.all(
      [1, 3, 8].map(async (concurrency) => {
        const path = fresh();
        expect(await runWords(path, { concurrency })).toMatchObject({
          complete: true,
          stopped: null,
          done: 27,
          failed: 0,
        });
        return resultsOf(path);
      }),
    );
    expect(one!.records).toHaveLength(3 * (4 + 5));
    expect(three).toEqual(one);
    expect(eight).toEqual(one);
  });

  test("answers a question in mid-stream from the memory as it was after its chunk", async () => {
    const path = fresh();
    await runWords(path, { config: { contexts: 1, chunks: 3 }, concurrency: 8 });
    expect(readScores(path).map(({ question, prediction, metrics }) => [question, prediction, metrics.em])).toEqual([
      ["0", "\\boxed{word00}", 1],
      ["1", "\\boxed{word00 word01}", 1],
      ["2", "\\boxed{word00 word01 word02}", 1],
      ["3", "\\boxed{word00 word01 word02}", 1],
    ]);
    const first = readRecords(path).find(({ id }) => id === "c0/t0/q0")!;
    expect(JSON.stringify(first.messages)).not.toContain("word01");
  });

  test("builds each memory once, however many positions ask for it", async () => {
    const policy = wordKeeper();
    await runWords(fresh(), { policy });
    const memory = policy.asked.filter((line) => line.startsWith("memory") && line.endsWith("turn 0"));
    expect(memory).toHaveLength(12);
    expect(new Set(memory).size).toBe(12);
  });

  test("keeps no more sessions in flight than the limit, over all contexts", async () => {
    let open = 0;
    let most = 0;
    const keeper = wordKeeper();
    await runWords(fresh(), {
      concurrency: 3,
      policy: {
        ...keeper,
        async sample(request) {
          most = Math.max(most, ++open);
          return keeper.sample(request).finally(() => open--);
        },
      },
    });
    expect(most).toBe(3);
  });

  test("progress counts up to a final total, and every record is shown once", async () => {
    const seen: EvaluateProgress[] = [];
    const records: SessionRecord[] = [];
    await runWords(fresh(), {
      onProgress: (progress) => seen.push(progress),
      onRecord: (record) => records.push(record),
    });
    expect(seen.map(({ done }) => done)).toEqual(Array.from({ length: 27 }, (_, i) => i + 1));
    expect(seen.every(({ done, total, totalIsFinal }) => !totalIsFinal || (total === 27 && done <= total))).toBe(true);
    expect(seen.at(-1)).toMatchObject({ done: 27, total: 27, totalIsFinal: true, failed: 0, resumed: 0 });
    expect(new Set(records.map(({ id }) => id)).size).toBe(27);
  });

  test("a method without a memory of its own runs a session per question and nothing else", async () => {
    const path = fresh();
    const policy = wordKeeper({ instead: () => ({ text: "\\boxed{word00}" }) });
    await runWords(path, { spec: "rag", policy, config: { contexts: 1 } });
    expect(readRecords(path).map(({ stage }) => stage)).toEqual(Array(5).fill("qa"));
    expect(readScores(path)[0]).toMatchObject({ metrics: { em: 1 } });
  });
});

describe("what fails in a session is data", () => {
  test("a policy without a reply ends its own session; memory and siblings go on", async () => {
    const path = fresh();
    const policy = wordKeeper({
      instead: (asked) => {
        if (asked === "memory word11 turn 1" || asked === "qa c2 question 0 turn 1")
          return { fail: new UmaError("provider", "the server answered 503") };
        return undefined;
      },
    });
    const result = await runWords(path, { policy });
    expect(result).toMatchObject({
      complete: true,
      done: 27,
      failed: 2,
      unserved: 2,
      lastFailure: expect.stringContaining("503"),
    });
    const records = new Map(readRecords(path).map((record) => [record.id, record]));
    expect(records.get("c1/t0/m1")).toMatchObject({ end: "error", error: { boundary: "policy", code: "provider" } });
    // the failed session's entry is not in the memory, what came after it is
    expect(records.get("c1/t0/q4")!.answer).toBe("\\boxed{word10 word12 word13}");
    const scores = new Map(readScores(path).map((score) => [score.session, score]));
    expect(scores.get("c2/t0/q0")).toMatchObject({ prediction: null, metrics: { em: null, "recall@5": null } });
    expect(scores.get("c2/t0/q1")).toMatchObject({ metrics: { em: 1 } });
  });

  test("a tool that breaks ends its own session", async () => {
    const path = fresh();
    const policy = wordKeeper({
      instead: (asked) =>
        asked === "qa c0 question 1 turn 0" ? { calls: [["memory_bm25_retrieve", { query: "word" }]] } : undefined,
    });
    const openSource = (chunks: readonly string[]) => ({
      ...createSource(chunks),
      bm25: () => Promise.reject(new Error("the index is gone")),
    });
    await runWords(path, { policy, openSource: openSource as never });
    const failed = readRecords(path).filter(({ error }) => error);
    expect(failed).toMatchObject([
      { id: "c0/t0/q1", error: { boundary: "tool", message: expect.stringContaining("the index is gone") } },
    ]);
  });

  test("answers without an acceptable text are scored as empty, not left out", async () => {
    const path = fresh();
    const policy = wordKeeper({
      instead: (asked) => (asked.startsWith("qa c0 question 0") ? { text: "" } : undefined),
    });
    await runWords(path, { policy, config: { contexts: 1 } });
    expect(readScores(path)[0]).toMatchObject({ prediction: "", metrics: { em: 0 } });
  });
});

describe("a provider that is gone", () => {
  const down = () => ({ fail: new UmaError("provider", "nothing answers at http://127.0.0.1:9 (ECONNREFUSED)") });

  test("ends the run after so many sessions in a row, and cuts those in flight", async () => {
    const path = fresh();
    const policy = wordKeeper({ instead: down });
    const result = await runWords(path, { policy, config: { contexts: 8, chunks: 9 }, giveUpAfter: 6, concurrency: 4 });
    expect(result).toMatchObject({ complete: false, stopped: "provider", done: 6, failed: 6, unserved: 6 });
    expect(result.lastFailure).toContain("nothing answers");
    expect(policy.asked.length).toBeLessThan(6 + 4);
    expect(readRecords(path)).toHaveLength(6);
  });

  test("is not suspected while other sessions have replies in between, nor when giving up is switched off", async () => {
    let calls = 0;
    const flaky = wordKeeper({ instead: () => (++calls % 3 === 0 ? down() : undefined) });
    expect(await runWords(fresh(), { policy: flaky, giveUpAfter: 6, concurrency: 1 })).toMatchObject({
      complete: true,
    });
    const policy = wordKeeper({ instead: down });
    expect(await runWords(fresh(), { policy, giveUpAfter: 0 })).toMatchObject({
      complete: true,
      done: 27,
      unserved: 27,
    });
  });
});

describe("what is nobody's session is thrown", () => {
  test.each([
    [
      "a position outside the stream",
      (question: { position: number }) => ({ ...question, position: 4 }),
      /position within 0\.\.3, got 4/,
    ],
    [
      "a position that is no number",
      (question: { position: number }) => ({ ...question, position: Number.NaN }),
      /got NaN/,
    ],
  ])("%s", async (_, change, message) => {
    const benchmark = {
      ...wordsBenchmark,
      async *load(config: never) {
        for await (const context of wordsBenchmark.load(config))
          yield { ...context, questions: context.questions.map(change as never) };
      },
    } as Benchmark;
    const path = fresh();
    await expect(runWords(path, { benchmark })).rejects.toThrow(message);
    expect(existsSync(join(path, "lock"))).toBe(false);
  });

  test("two contexts of one name", async () => {
    const benchmark = {
      ...wordsBenchmark,
      async *load(config: never) {
        for await (const context of wordsBenchmark.load(config)) yield { ...context, id: "same" };
      },
    } as Benchmark;
    await expect(runWords(fresh(), { benchmark })).rejects.toThrow(/two contexts are named "same"/);
  });

  test("a benchmark that cannot be read in the middle: what was begun ends, what was done is kept and scored", async () => {
    const benchmark = {
      ...wordsBenchmark,
      async *load(config: never) {
        let count = 0;
        for await (const context of wordsBenchmark.load(config)) {
          if (count++ === 1) throw new UmaError("input", "line 7 is broken");
          yield context;
        }
      },
    } as Benchmark;
    const path = fresh();
    await expect(runWords(path, { benchmark, concurrency: 1 })).rejects.toThrow("line 7 is broken");
    expect(readRecords(path)).toHaveLength(9);
    expect(readScores(path)).toHaveLength(5);
  });

  test("an observer that throws", async () => {
    const path = fresh();
    const onRecord = () => {
      throw new Error("the observer is broken");
    };
    await expect(runWords(path, { onRecord })).rejects.toThrow("the observer is broken");
    expect(await resumeWords(path)).toMatchObject({ complete: true });
  });
});

describe("a folder", () => {
  test("holds the config before work, each context before its first session, and a lock during it", async () => {
    const path = fresh();
    const seen: unknown[] = [];
    const policy = wordKeeper({
      instead: () => {
        seen.push([readContexts(path).length > 0, openRunFolder(path).config.name, existsSync(join(path, "lock"))]);
        return undefined;
      },
    });
    await runWords(path, { policy });
    expect(seen[0]).toEqual([true, "words", true]);
    expect(existsSync(join(path, "lock"))).toBe(false);
  });

  test("is worked on by one evaluation at a time", async () => {
    const path = fresh();
    createRunFolder(path, wordsConfig());
    const results = await Promise.allSettled([resumeWords(path), resumeWords(path), resumeWords(path)]);
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    const refused = results.flatMap((result) => (result.status === "rejected" ? [result.reason] : []));
    expect(refused).toMatchObject([{ code: "conflict" }, { code: "conflict" }]);
    expect(readRecords(path)).toHaveLength(27);
  });
});
