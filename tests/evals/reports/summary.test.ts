import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { UmaError } from "../../../base/errors.ts";
import { summarise } from "../../../evals/reports/summary.ts";
import { recordRetry } from "../../../rollouts/retries.ts";
import { inventRun, memorySession, qaSession, question, score, temporaryFolder } from "./invented-run.ts";
import { contexts, inventRag, inventUma, umaRecords, umaScores } from "./two-variants.ts";

const folder = temporaryFolder();
const uma = inventUma(folder);
const rag = inventRag(folder);
const summary = summarise([uma, rag]);
const [umaRun, ragRun] = summary.runs as [(typeof summary.runs)[number], (typeof summary.runs)[number]];

describe("scores", () => {
  test("a mean counts scored questions and says of how many, its interval is drawn over contexts", () => {
    // per context: c1 1/2, c2 2/2; two contexts drawn give 0.5, 0.75 or 1 with chances 1/4, 1/2, 1/4
    expect(umaRun.metrics.em).toEqual({ mean: 0.75, low: 0.5, high: 1, scored: 4, n: 5, clusters: 2, reason: null });
    expect(umaRun.metrics.f1).toMatchObject({ mean: 0.875, low: 0.75, high: 1, scored: 4, n: 5 });
  });

  test("a question without a score stays in its category's total", () => {
    expect(umaRun.categories.map(({ value, n }) => [value, n])).toEqual([
      ["max", 2],
      ["sum", 3],
    ]);
    expect(umaRun.categories[1]!.metrics.em).toMatchObject({ mean: 1, low: 1, high: 1, scored: 2, n: 3 });
  });

  test("facet values are in the order of their size, and one context gives no interval", () => {
    expect(umaRun.facets.horizon!.map(({ value }) => value)).toEqual([2, 10]);
    expect(umaRun.facets.horizon![0]!.metrics.em).toEqual({
      mean: 0.5,
      low: null,
      high: null,
      scored: 2,
      n: 2,
      clusters: 1,
      reason: "one context gives no interval",
    });
    expect(umaRun.facets.horizon![1]!.metrics.em).toMatchObject({ mean: 1, scored: 2, n: 3 });
  });

  test("the headline is the first metric that the scores list, or the one that was asked for", () => {
    expect(umaRun.headline).toBe("em");
    expect(summarise([uma], { headlines: { "ledger-qa": "f1" } }).runs[0]!.headline).toBe("f1");
    expect(summarise([uma], { headlines: { locomo: "f1" } }).runs[0]!.headline).toBe("em");
  });

  test("a run that is not scored has no means and no headline, and all its questions in the total", () => {
    const unscored = inventRun(folder, "unscored", { contexts, records: umaRecords });
    const run = summarise([unscored]).runs[0]!;
    expect(run).toMatchObject({ headline: null, metrics: {}, questions: { asked: 5, finished: 5, scored: 0 } });
    expect(run.remarks).toContain("Nothing is scored yet: scores.jsonl is missing or empty.");
  });

  test("a run that was stopped counts the questions that nobody asked yet", () => {
    const stopped = inventRun(folder, "stopped", {
      contexts,
      records: umaRecords.slice(0, 5),
      scores: umaScores.slice(0, 1),
    });
    const run = summarise([stopped]).runs[0]!;
    expect(run.metrics.em).toMatchObject({ mean: 1, scored: 1, n: 5 });
    expect(run.remarks).toContain("4 of 5 questions have no session: the run was not finished.");
  });
});

describe("differences", () => {
  test("two methods are compared on the questions that both have a score for", () => {
    // c1: +1, 0 and c2: 0, 0; the failed question is left out
    expect(summary.differences).toEqual([
      {
        benchmark: "ledger-qa",
        metric: "em",
        first: "uma · some-model",
        second: "rag · some-model",
        mean: 0.25,
        low: 0,
        high: 0.5,
        n: 4,
        clusters: 2,
        reason: null,
        wins: 1,
        losses: 0,
        ties: 3,
        p: 1,
        unpaired: 1,
      },
    ]);
  });

  test("methods that share no question are not compared", () => {
    const other = inventRun(folder, "other-data", {
      config: { variant: { spec: "concat", name: "concat", paper: "Concat" } },
      contexts: [{ ...contexts[0]!, chunks: ["another text", "two"] }],
      scores: [score("c1", "1", { em: 1 })],
    });
    expect(summarise([uma, other]).differences).toEqual([]);
  });
});

describe("seeds", () => {
  const run = (name: string, seed: number, chunk: string, em: number) =>
    inventRun(folder, name, {
      config: { seed, benchmark: { name: "ledger-qa", config: { seed, horizon: [seed], profile: "micro" } } },
      contexts: [{ id: "c1", chunks: [chunk], facets: { horizon: seed }, questions: [question("1", { position: 0 })] }],
      scores: [score("c1", "1", { em })],
    });

  test("runs that differ in the seed are one row, and equal names of different contexts are two clusters", () => {
    const { groups } = summarise([run("s8", 8, "b", 0), run("s7", 7, "a", 1)]);
    expect(groups).toHaveLength(1);
    expect(groups[0]).toMatchObject({ label: "uma · some-model", runs: [1, 0], seeds: [7, 8] });
    expect(groups[0]!.metrics.em).toMatchObject({ mean: 0.5, low: 0, high: 1, scored: 2, n: 2, clusters: 2 });
  });

  test("a context that two seeds share stays one cluster", () => {
    const shared = (name: string, seed: number, em: number) =>
      inventRun(folder, name, {
        config: { seed },
        contexts: [contexts[0]!],
        scores: [score("c1", "1", { em }), score("c1", "2", { em })],
      });
    const { groups } = summarise([shared("shared-1", 1, 1), shared("shared-2", 2, 0)]);
    expect(groups[0]!.metrics.em).toMatchObject({ mean: 0.5, low: null, scored: 4, n: 4, clusters: 1 });
  });

  test("another budget, prompt or option is another row, whose label says which", () => {
    const tight = inventRun(folder, "tight", {
      config: {
        limits: { promptTokens: 4096, interactionTokens: 8192, maxTurns: 32, maxCalls: 16, maxObservation: 4096 },
      },
      contexts,
    });
    const micro = inventRun(folder, "micro", {
      config: { benchmark: { name: "ledger-qa", config: { profile: "micro" } } },
      contexts,
    });
    expect(summarise([uma, tight, micro]).groups.map(({ label }) => label)).toEqual([
      "uma · some-model · budget 8192+8192 · ledger-qa's profile –",
      "uma · some-model · budget 4096+8192 · ledger-qa's profile –",
      "uma · some-model · budget 8192+8192 · ledger-qa's profile micro",
    ]);
  });
});

describe("what happened", () => {
  test("tool validity leaves a miss out, counts a repaired call as valid, and gives every verdict", () => {
    // building: 2 adds + (update, delete, miss, repaired, invalid, refused) + 1 add + 1 add
    expect(umaRun.stages.memory.tools).toMatchObject({
      calls: 10,
      verdicts: { valid: 6, repaired: 1, miss: 1, invalid: 1, refused: 1 },
      counted: 9,
      validity: 7 / 9,
    });
    expect(ragRun.stages.qa.tools).toMatchObject({ calls: 0, counted: 0, validity: null });
  });

  test("ends, errors by boundary and questions without an answer are counted apart", () => {
    expect(umaRun.stages.memory.ends).toEqual({ text: 3, budget: 0, turns: 0, error: 1, cancelled: 0 });
    expect(umaRun.stages.qa.errors).toEqual([
      { boundary: "policy", code: "provider", count: 1, message: "503 Service Unavailable" },
    ]);
    expect(umaRun.questions).toEqual({ asked: 5, finished: 5, answered: 3, unanswered: 1, failed: 1, scored: 4 });
  });

  test("a core that was kept is counted with its reason and its session", () => {
    expect(umaRun.cores).toEqual({
      committed: 2,
      kept: [
        { reason: "the reply was empty", count: 1, sessions: ["c1/t0/m1"] },
        { reason: "the session ended by error", count: 1, sessions: ["c2/t0/m1"] },
      ],
    });
    expect(ragRun.cores).toBeNull();
  });

  test("the bank at the end is folded from the writes of sessions that did not fail", () => {
    expect(umaRun.banks).toEqual([
      {
        context: "c1",
        trajectory: 0,
        chunks: 2,
        entries: 1,
        characters: "Food".length + "12.50 and 3".length,
        coreCharacters: "core after 0".length,
        writes: { add: 2, update: 1, delete: 1 },
      },
      {
        context: "c2",
        trajectory: 0,
        chunks: 1,
        entries: 1,
        characters: 2,
        coreCharacters: "core after 0".length,
        writes: { add: 1, update: 0, delete: 0 },
      },
    ]);
    expect(ragRun.banks).toEqual([]);
  });

  test("cost is apart for building and answering, and elapsed time counts what overlaps once", () => {
    // 0–2 s and 1–3 s, then 60–60.5 s and 61–61.5 s
    expect(umaRun.cost.build).toEqual({
      sessions: 4,
      turns: 4,
      tokens: { prompt: 400, interaction: 120, completion: 80 },
      provider: null,
      sessionMs: 5_000,
      elapsedMs: 4_000,
    });
    expect(umaRun.cost.answer).toMatchObject({
      sessions: 5,
      provider: { sessions: 1, prompt: 400, completion: 25 },
      sessionMs: 5_000,
      elapsedMs: 1_000,
    });
    expect(ragRun.cost.build).toBeNull();
  });

  test("QA sessions are told apart by where they looked, failed ones left out", () => {
    expect(umaRun.evidence).toEqual({ sessions: 4, bankOnly: 1, rawOnly: 0, both: 1, neither: 2 });
    expect(ragRun.evidence).toEqual({ sessions: 5, bankOnly: 0, rawOnly: 5, both: 0, neither: 0 });
  });

  test("of a session that was run again only the last attempt counts, and the earlier one is counted as cost", () => {
    const again = inventRun(folder, "again", {
      contexts: [contexts[0]!],
      records: [
        qaSession("c1", "1", {
          answer: null,
          end: "error",
          error: { boundary: "policy", code: "provider", message: "x" },
        }),
        qaSession("c1", "1", { attempt: 2 }),
        memorySession("c1", 0),
      ],
      scores: [score("c1", "1", { em: 1 }), score("c1", "1", { em: 0 })],
    });
    recordRetry(again, [qaSession("c1", "1")]);
    const run = summarise([again]).runs[0]!;
    expect(run.questions).toMatchObject({ asked: 2, finished: 1, failed: 0 });
    expect(run.cost.superseded).toMatchObject({ sessions: 1, sessionMs: 1_000 });
    expect(run.metrics.em).toMatchObject({ mean: 0, scored: 1, n: 2 });
    expect(run.remarks).toContain("1 attempts were given up to be run again; only the last one of a session counts.");
  });

  test("a session that is still to be run again counts for nothing, nor does its old score", () => {
    const pending = inventRun(folder, "pending", {
      contexts: [contexts[0]!],
      records: [qaSession("c1", "1"), qaSession("c1", "2")],
      scores: [score("c1", "1", { em: 1 }), score("c1", "2", { em: 1 })],
    });
    recordRetry(pending, [qaSession("c1", "1")]);
    const run = summarise([pending]).runs[0]!;
    expect(run.questions).toMatchObject({ asked: 2, finished: 1, scored: 1 });
    expect(run.metrics.em).toMatchObject({ mean: 1, scored: 1, n: 2 });
  });

  test("what was run is on the summary: hashes, budget, seed, and that the policy is no model", () => {
    expect(umaRun).toMatchObject({
      folder: uma,
      seed: 7,
      toolset: "paper",
      prompts: { name: "default", hash: "00112233aabbccdd" },
      limits: { promptTokens: 8192, interactionTokens: 8192 },
      benchmark: { contexts: 2, chunks: 4 },
    });
    expect(umaRun.benchmark.data).toMatch(/^[0-9a-f]{16}$/);
    expect(umaRun.benchmark.data).toBe(ragRun.benchmark.data);
    const scripted = inventRun(folder, "scripted", {
      config: { policy: { spec: {}, name: "ledger-expert", scripted: true } },
      contexts,
    });
    const { runs, groups } = summarise([scripted]);
    expect(groups[0]!.label).toBe("uma · ledger-expert (no model)");
    expect(runs[0]!.remarks[0]).toContain("No model was run");
  });

  test("the data hash does not depend on the order in which contexts were begun", () => {
    const turned = inventRun(folder, "turned", { contexts: [...contexts].reverse() });
    expect(summarise([turned]).runs[0]!.benchmark.data).toBe(umaRun.benchmark.data);
  });
});

describe("folders", () => {
  test("no folder, or one that holds no run, is an error that says what to do", () => {
    expect(() => summarise([])).toThrow(UmaError);
    expect(() => summarise([join(folder, "nowhere")])).toThrow("is not a run folder");
  });

  test("a folder that is named twice is read once", () => {
    expect(summarise([uma, `${uma}/`]).runs).toHaveLength(1);
  });

  test("the torn last line of a killed run is not a session", () => {
    const torn = inventRun(folder, "torn", { contexts, records: umaRecords });
    appendFileSync(join(torn, "records.jsonl"), '{"v":1,"id":"c1/t0/q9"');
    expect(summarise([torn]).runs[0]!.questions.finished).toBe(5);
  });

  test("the summary is plain JSON: nothing is lost by writing it down, and it is the same every time", () => {
    expect(JSON.parse(JSON.stringify(summary))).toEqual(summary);
    expect(summarise([uma, rag])).toEqual(summary);
  });
});
