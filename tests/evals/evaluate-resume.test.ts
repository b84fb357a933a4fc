import { appendFileSync, cpSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { UmaError } from "../../base/errors.ts";
import { rng } from "../../base/rng.ts";
import { createRunFolder, readRecordLog, readRecords, readScores } from "../../evals/run-folder.ts";
import { loadVariant } from "../../graphs/variants/load-variant.ts";
import { loadPrompts } from "../../nodes/prompts/prompts.ts";
import { toolsets } from "../../tools/toolsets.ts";
import { wordKeeper } from "./invented-benchmark.ts";
import { idsOf, normalised, resultsOf, resumeWords, runWords, wordsConfig } from "./run-words.ts";

let parent: string;
/** A run that nothing disturbed. */
let whole: ReturnType<typeof resultsOf>;
let wholePath: string;
let wholeCalls: number;
let runs = 0;
const fresh = () => join(parent, `run-${++runs}`);

beforeAll(async () => {
  parent = mkdtempSync(join(tmpdir(), "umagraph-resume-"));
  wholePath = fresh();
  const policy = wordKeeper();
  await runWords(wholePath, { policy });
  whole = resultsOf(wholePath);
  wholeCalls = policy.asked.length;
});
afterAll(() => rmSync(parent, { recursive: true }));

describe("a run that is stopped", () => {
  test("finishes its running sessions, starts no more, and goes on with no session lost or repeated", async () => {
    const random = rng(1, "stops");
    const path = fresh();
    createRunFolder(path, wordsConfig());
    const policy = wordKeeper();
    let stops = 0;
    for (let complete = false; !complete; ) {
      const until = policy.asked.length + random.int(1, 12);
      const result = await resumeWords(path, { policy, stopping: () => policy.asked.length >= until });
      complete = result.complete;
      if (!complete) stops++;
      expect(result.stopped).toBe(complete ? null : "asked");
      expect(new Set(idsOf(path)).size).toBe(idsOf(path).length);
    }
    expect(stops).toBeGreaterThan(4);
    expect(policy.asked).toHaveLength(wholeCalls);
    expect(resultsOf(path)).toEqual(whole);
  });

  test("by its signal leaves what was cut short unrecorded, and repeats only that", async () => {
    const path = fresh();
    createRunFolder(path, wordsConfig());
    const controller = new AbortController();
    const policy = wordKeeper({
      instead: (asked) => {
        if (asked === "memory word02 turn 1") controller.abort();
        return undefined;
      },
    });
    expect(await resumeWords(path, { policy, signal: controller.signal })).toMatchObject({
      complete: false,
      stopped: "asked",
    });
    const before = readRecords(path);
    expect(before.filter(({ end }) => end === "cancelled")).toEqual([]);
    expect(before.length).toBeLessThan(27);
    const rest = wordKeeper();
    await resumeWords(path, { policy: rest });
    const repeated = new Set(before.map(({ id }) => id));
    expect(
      readRecords(path)
        .slice(before.length)
        .some(({ id }) => repeated.has(id)),
    ).toBe(false);
    expect(resultsOf(path)).toEqual(whole);
  });

  test("while its last session runs is complete all the same", async () => {
    const path = fresh();
    createRunFolder(path, wordsConfig());
    let asked = 0;
    const policy = wordKeeper({
      instead: () => {
        asked++;
        return undefined;
      },
    });
    expect(await resumeWords(path, { policy, stopping: () => asked >= wholeCalls })).toMatchObject({
      complete: true,
      stopped: null,
    });
    expect(resultsOf(path)).toEqual(whole);
  });

  test("and resumed when it is complete does nothing: scores are rewritten, not appended", async () => {
    const path = fresh();
    cpSync(wholePath, path, { recursive: true });
    const before = readFileSync(join(path, "scores.jsonl"), "utf8");
    const policy = wordKeeper();
    expect(await resumeWords(path, { policy })).toMatchObject({ complete: true, done: 27, resumed: 27 });
    expect(policy.asked).toEqual([]);
    expect(readFileSync(join(path, "scores.jsonl"), "utf8")).toBe(before);
  });
});

describe("a run that was killed", () => {
  /** What kill -9 leaves: files that end anywhere, the log no further than the texts and contexts that it names. */
  test("at any byte of its log gives the results of an undisturbed one", async () => {
    const random = rng(2, "torn logs");
    const size = readFileSync(join(wholePath, "records.jsonl")).length;
    const lengths = [0, 1, size - 1, ...Array.from({ length: 12 }, () => random.int(2, size - 2))];
    for (const length of lengths) {
      const path = fresh();
      cpSync(wholePath, path, { recursive: true });
      truncateSync(join(path, "records.jsonl"), length);
      rmSync(join(path, "scores.jsonl"));
      if (random.next() < 0.5) appendFileSync(join(path, "texts.jsonl"), '{"ref":"torn","te');
      const kept = idsOf(path).length;
      const policy = wordKeeper();
      const result = await resumeWords(path, { policy });
      expect(result).toMatchObject({ complete: true, resumed: kept, done: 27 });
      expect(resultsOf(path)).toEqual(whole);
      expect(new Set(idsOf(path)).size).toBe(27);
      rmSync(path, { recursive: true });
    }
  });

  test("before its first session, or in the middle of its list of contexts", async () => {
    const path = fresh();
    createRunFolder(path, wordsConfig());
    const contexts = readFileSync(join(wholePath, "contexts.jsonl"));
    writeFileSync(join(path, "contexts.jsonl"), contexts.subarray(0, contexts.length - 20));
    await resumeWords(path);
    expect(resultsOf(path)).toEqual(whole);
    expect(readFileSync(join(path, "contexts.jsonl"))).toEqual(contexts);
  });
});

describe("a run goes on only with what it was begun with", () => {
  const begun = async () => {
    const path = fresh();
    createRunFolder(path, wordsConfig());
    let calls = 0;
    await resumeWords(path, { stopping: () => ++calls > 8 });
    return path;
  };

  test("changed data is refused, and so is data that lacks a context", async () => {
    const path = await begun();
    const file = join(path, "config.json");
    const config = wordsConfig();
    const withBenchmark = (benchmark: object) =>
      writeFileSync(file, JSON.stringify({ ...config, benchmark: { name: "words", config: benchmark } }));
    withBenchmark({ word: "other" });
    await expect(resumeWords(path)).rejects.toThrow(/c0: the data is not what .* was started with/);
    withBenchmark({ leaveOut: "c0" });
    await expect(resumeWords(path)).rejects.toThrow(/c0 is not there any more/);
    withBenchmark({});
    expect(await resumeWords(path)).toMatchObject({ complete: true });
    expect(resultsOf(path)).toEqual(whole);
  });

  test.each([
    ["prompts", () => ({ prompts: loadPrompts("ledger") }), /prompts "default" have changed/],
    ["policy", () => ({ policy: wordKeeper({ name: "another" }) }), /begun with policy word-keeper, got another/],
    ["toolset", () => ({ toolset: toolsets.bank }), /begun with toolset paper, got bank/],
    ["variant", async () => ({ variant: await loadVariant("rag") }), /begun with variant uma, got rag/],
  ])("another %s is refused before anything is done", async (_, options, message) => {
    const path = fresh();
    createRunFolder(path, wordsConfig());
    await expect(resumeWords(path, await options())).rejects.toThrow(message);
    expect(readRecords(path)).toEqual([]);
  });

  test("options that its benchmark does not know are refused with the file's name", async () => {
    const path = fresh();
    createRunFolder(path, wordsConfig({ benchmark: { name: "words", config: { contexts: "many" } } }));
    await expect(resumeWords(path)).rejects.toThrow(/config\.json: words: .*contexts/);
  });

  test("a log whose memory does not add up is refused", async () => {
    const path = fresh();
    cpSync(wholePath, path, { recursive: true });
    const lines = readFileSync(join(path, "records.jsonl"), "utf8").trimEnd().split("\n");
    const without = lines.filter((line) => !line.includes('"id":"c0/t0/m1"') && !line.includes('"id":"c0/t0/m3"'));
    const again = lines.find((line) => line.includes('"id":"c0/t0/m0"'))!.replaceAll("c0/t0/m0", "c0/t0/m1");
    writeFileSync(join(path, "records.jsonl"), `${[...without, again].join("\n")}\n`);
    await expect(resumeWords(path)).rejects.toThrow(/c0\/t0\/m1: the recorded add .* does not fit the memory/);
  });
});

describe("failed sessions can be run again", () => {
  const failing = (pattern: RegExp) =>
    wordKeeper({
      instead: (asked) => (pattern.test(asked) ? { fail: new UmaError("provider", "503 for a while") } : undefined),
    });
  /** c0: a memory session fails, and every later one reads a memory with a hole. c1: one question fails. */
  const holes = /memory word02 turn 1|qa c1 question 2 turn 0/;

  test("without being asked to, a resumed run leaves them as they are", async () => {
    const path = fresh();
    await runWords(path, { policy: failing(holes) });
    const policy = wordKeeper();
    expect(await resumeWords(path, { policy })).toMatchObject({ failed: 2, resumed: 27 });
    expect(policy.asked).toEqual([]);
  });

  test("a failed memory session with everything after it in its context, a failed question alone", async () => {
    const path = fresh();
    await runWords(path, { policy: failing(holes) });
    const before = readRecords(path);
    const policy = wordKeeper();
    expect(await resumeWords(path, { policy, retryFailed: true })).toMatchObject({
      complete: true,
      failed: 0,
      resumed: 27 - 6,
    });
    expect(new Set(policy.asked.map((line) => line.replace(/ turn \d+/, "")))).toEqual(
      new Set([
        "memory word02",
        "memory word03",
        "qa c0 question 2",
        "qa c0 question 3",
        "qa c0 question 4",
        "qa c1 question 2",
      ]),
    );
    const { records, voided } = readRecordLog(path);
    expect(voided).toEqual(before.filter(({ id }) => voided.some((old) => old.id === id)));
    expect(voided).toHaveLength(6);
    expect(records.filter(({ attempt }) => attempt === 2)).toHaveLength(6);
    expect(normalised(records).map((record) => ({ ...record, attempt: 1 }))).toEqual(whole.records);
    expect(readScores(path)).toEqual(whole.scores);
  });

  test("again and again; each attempt has its number, and the last one counts", async () => {
    const path = fresh();
    await runWords(path, { policy: failing(/qa c1 question 2/) });
    await resumeWords(path, { policy: failing(/qa c1 question 2/), retryFailed: true });
    await resumeWords(path, { retryFailed: true });
    const { records, voided } = readRecordLog(path);
    expect(voided.map(({ id, attempt }) => [id, attempt])).toEqual([
      ["c1/t0/q2", 1],
      ["c1/t0/q2", 2],
    ]);
    expect(records.find(({ id }) => id === "c1/t0/q2")).toMatchObject({ attempt: 3, error: null });
    expect(readScores(path)).toEqual(whole.scores);
  });

  test("killed in the middle of it, a run never mixes old and new memories", async () => {
    const path = fresh();
    await runWords(path, { policy: failing(holes) });
    let calls = 0;
    await resumeWords(path, { retryFailed: true, concurrency: 1, stopping: () => ++calls > 4 });
    expect(readRecords(path).length).toBeLessThan(27);
    expect(await resumeWords(path)).toMatchObject({ complete: true, failed: 0 });
    expect(readScores(path)).toEqual(whole.scores);
  });

  test("the run that gave up on its provider goes on to the results of an undisturbed one", async () => {
    const path = fresh();
    let calls = 0;
    const dying = wordKeeper({
      instead: () => (++calls > 20 ? { fail: new UmaError("provider", "the server has died") } : undefined),
    });
    expect(await runWords(path, { policy: dying, giveUpAfter: 4 })).toMatchObject({ stopped: "provider", failed: 4 });
    expect(await resumeWords(path, { retryFailed: true })).toMatchObject({ complete: true, failed: 0 });
    expect(readScores(path)).toEqual(whole.scores);
  });
});
