/** Threads that die, and runs that are cut short, on a pool: nothing is lost, nothing hangs, nothing is left behind. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Worker } from "node:worker_threads";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { seedOf } from "../../base/rng.ts";
import type { EvaluateOptions } from "../../evals/evaluate.ts";
import { createRunFolder, readRecords } from "../../evals/run-folder.ts";
import type { SessionRecord } from "../../nodes/session/record.ts";
import { createPolicy } from "../../policies/index.ts";
import type { Policy } from "../../policies/policy.ts";
import type { ThreadDeath } from "../../rollouts/pool/pool-engine.ts";
import { normalised, resumeWords, wordsConfig } from "../evals/run-words.ts";
import type { Fate } from "../fixtures/mortal-model.ts";

const parent = mkdtempSync(join(tmpdir(), "umagraph-mortal-"));
const spec = { policy: "langchain", module: `${resolve(import.meta.dirname, "../fixtures/mortal-model.ts")}#mortal` };
const threads: Worker[] = [];
const keep = (thread: Worker) => void threads.push(thread);
let runs = 0;
/** On this thread, where it meets no fate. */
let mortal: Policy;
/** A run on this thread, without a death. */
let whole: SessionRecord[];

/** Two contexts of three chunks, G = 2: 12 memory sessions, 16 questions. */
function begin(fate: Fate): string {
  const path = join(parent, `run-${++runs}`);
  mkdirSync(`${path}-mortal`);
  process.env.UMAGRAPH_TEST_MORTAL = `${path}-mortal`;
  writeFileSync(join(`${path}-mortal`, "asked"), "");
  writeFileSync(join(`${path}-mortal`, "fate.json"), JSON.stringify(fate));
  createRunFolder(
    path,
    wordsConfig({
      benchmark: { name: "words", config: { contexts: 2, chunks: 3 } },
      policy: { spec, name: "langchain:mortal", scripted: false },
      rollout: { G: 2, M: null },
      concurrency: 6,
    }),
  );
  return path;
}

async function run(path: string, options: Partial<EvaluateOptions> = {}) {
  const deaths: ThreadDeath[] = [];
  const pool = { threads: 2, policy: spec, variant: "uma" };
  const result = await resumeWords(path, { policy: mortal, pool, onDeath: (death) => deaths.push(death), ...options });
  return { result, deaths, records: normalised(readRecords(path)) };
}
const askedOf = (path: string) =>
  readFileSync(join(`${path}-mortal`, "asked"), "utf8")
    .trimEnd()
    .split("\n");
/** First turns: one per session that was begun. */
const begunOf = (path: string) => askedOf(path).filter((line) => line.includes("turn 0"));

beforeAll(async () => {
  const path = begin({});
  mortal = await createPolicy(spec);
  const { records, result } = await run(path, { pool: null });
  expect(result).toMatchObject({ complete: true, failed: 0, done: 28 });
  whole = records.map((record) => ({ ...record, policy: { ...record.policy, scripted: false } }));
  process.on("worker", keep);
});
afterEach(async () => {
  // an ended thread has no id any more
  for (let waits = 0; waits < 200 && threads.some(({ threadId }) => threadId !== -1); waits++) await sleep(10);
  expect(
    threads
      .splice(0)
      .map(({ threadId }) => threadId)
      .filter((id) => id !== -1),
  ).toEqual([]);
});
afterAll(() => {
  process.off("worker", keep);
  rmSync(parent, { recursive: true });
});

/** The line of a trajectory's turn, by its seed. */
const turnOf = (session: string, turn: number) => `turn ${turn} seed ${seedOf(5, session, turn)}`;

describe("a thread that dies", () => {
  it("takes nothing with it: its sessions run again, alone; what dies again is an error, its siblings are as they were", async () => {
    const path = begin({
      ends: [
        { at: turnOf("c0/t0/m1", 1), times: 1, how: "exits" },
        { at: turnOf("c1/t1/q2", 1), times: 1, how: "throws" },
        { at: turnOf("c0/t0/q1", 1), times: 99, how: "exits" },
        { at: turnOf("c1/t0/m1", 1), times: 99, how: "throws" },
      ],
    });
    const { result, deaths, records } = await run(path);
    expect(result).toMatchObject({ complete: true, failed: 2, done: 28 });
    expect(
      deaths
        .filter(({ again }) => !again)
        .map(({ session }) => session)
        .sort(),
    ).toEqual(["c0/t0/q1", "c1/t0/m1"]);
    const recordOf = (id: string) => records.find((record) => record.id === id);

    const error = { boundary: "worker", code: "worker", message: expect.stringContaining("worker thread died twice") };
    const failed = { error, end: "error", attempt: 1, seed: 5, trajectory: 0 };
    expect(recordOf("c0/t0/q1")).toMatchObject({
      ...failed,
      answer: null,
      question: "1",
      position: 1,
      parent: "c0/t0/m1",
    });
    // the memory goes on without what the session wrote, and the old core stays
    const core = { before: "word10", after: "word10", committed: false };
    expect(recordOf("c1/t0/m1")).toMatchObject({ ...failed, core, question: null, position: 1, parent: "c1/t0/m0" });
    expect(recordOf("c1/t0/q3")!.answer).toBe("\\boxed{word10 word12}");

    const touched = (record: SessionRecord) =>
      record.id === "c0/t0/q1" || (record.context === "c1" && record.trajectory === 0 && record.position >= 1);
    expect(records.filter((record) => !touched(record))).toEqual(whole.filter((record) => !touched(record)));
    // only what was running in a thread that died was begun again: three at a time, or one that was alone
    const shared = deaths.filter(({ again }) => again);
    expect(begunOf(path).length - 28).toBeLessThanOrEqual(deaths.length + 2 * shared.length);
    expect(readRecords(path)).toHaveLength(28);
  }, 240_000);

  it("by a hand from outside, in the middle of both kinds of sessions, costs nothing but time", async () => {
    const [reading, answering] = [turnOf("c0/t0/m2", 1), turnOf("c1/t1/q3", 0)];
    const path = begin({ ends: [reading, answering].map((at) => ({ at, times: 1, how: "hangs" as const })) });
    const running = run(path);
    const hangs = (at: string) => askedOf(path).some((line) => line.endsWith(at));
    while (!hangs(reading) || !hangs(answering)) await sleep(5);
    await sleep(20);
    for (const thread of threads.splice(0, 2)) await thread.terminate();
    const { result, records, deaths } = await running;
    expect(result).toMatchObject({ complete: true, failed: 0 });
    expect(deaths.every(({ again }) => again)).toBe(true);
    expect(records).toEqual(whole);
  }, 240_000);
});

describe("a run on a pool that is cut short", () => {
  const goOn = (path: string) => run(path, { pool: null });

  it.each([
    ["compute", { computes: 15, waits: 0 }],
    ["wait for a server that never answers", { ends: [{ at: "turn 1", times: 99, how: "hangs" } as const] }],
  ])(
    "ends soon with sessions that %s, records none of them, and goes on later",
    async (_, fate) => {
      const path = begin(fate);
      const controller = new AbortController();
      const running = run(path, { signal: controller.signal });
      while (askedOf(path).length < 5) await sleep(2);
      controller.abort();
      const { result, records } = await running;
      expect(result).toMatchObject({ complete: false, stopped: "asked", failed: 0 });
      expect(records.length).toBeLessThan(28);
      expect(records.every(({ end }) => end === "text")).toBe(true);
      expect((await goOn(path)).records).toEqual(whole);
    },
    240_000,
  );

  it("by a stop lets the running sessions end and starts no more", async () => {
    const path = begin({ waits: 10 });
    let stopped = false;
    const { result, records } = await run(path, {
      stopping: () => {
        stopped ||= begunOf(path).length >= 8;
        return stopped;
      },
    });
    expect(result).toMatchObject({ complete: false, stopped: "asked", failed: 0 });
    expect(records).toHaveLength(begunOf(path).length);
    expect(begunOf(path).length).toBeLessThan(28);
    const before = records.length;
    expect((await goOn(path)).records).toEqual(whole);
    expect(before).toBeGreaterThan(7);
  }, 240_000);
});
