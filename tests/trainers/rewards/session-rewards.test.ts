import { describe, expect, it } from "vitest";
import { rewardOptions } from "../../../trainers/rewards/reward-options.ts";
import { rewardTables, sessionsOf } from "../../../trainers/rewards/reward-tables.ts";
import { sessionRewards } from "../../../trainers/rewards/session-rewards.ts";
import { failed, memorySession, published, qaSession, sampledContext, sampledFrom, scoreOf } from "./sampled.ts";

const paper = rewardOptions({ outcome: "exact" });
const half = { memory: 0.5, qa: 0.5 };

describe("Eqs. 3–4", () => {
  it("A.21.1: from records and scores to R_mem and R_qa", () => {
    const tables = rewardTables(sampledFrom(published), paper);
    expect(tables).toMatchObject(published);
    expect(tables.r_bar).toEqual([0.5, 1, 0]);
    expect(tables.R_mem).toEqual([
      [1, 1],
      [1.25, 1.5],
      [0.5, 0],
    ]);
    expect(tables.R_qa).toEqual([
      [1.5, 0.5],
      [1.5, 1.25],
      [0, 0.5],
    ]);
  });

  it("λ weighs validity, for memory and answers apart when asked", () => {
    const R = (lambda: Parameters<typeof rewardOptions>[0]["lambda"]) => {
      const { R_mem, R_qa } = rewardTables(sampledFrom(published), rewardOptions({ outcome: "exact", lambda }));
      return [R_mem[1]![0], R_qa[1]![1]];
    };
    expect(R(0)).toEqual([1, 1]);
    expect(R(1)).toEqual([1.5, 1.5]);
    expect(R({ memory: 0 })).toEqual([1, 1.25]);
    expect(R({ memory: 2, qa: 4 })).toEqual([2, 3]);
  });

  it("equal sets of outcomes give equal means, whatever the order of the questions", () => {
    const row = [0.1, 0.2, 0.3, 1 / 3];
    const { r_bar } = sessionRewards(
      { r_tool_mem: [[], []], r_tool_qa: [row, row], r_outcome: [row, row.toReversed()] },
      half,
    );
    expect(r_bar[0]).toBe(r_bar[1]);
  });

  it("tables of different trajectories or questions are refused", () => {
    const terms = { r_tool_mem: [[1]], r_tool_qa: [[1]], r_outcome: [[1]] };
    for (const wrong of [{ r_tool_mem: [] }, { r_outcome: [[1, 0]] }, { r_tool_qa: [[1], [1]] }])
      expect(() => sessionRewards({ ...terms, ...wrong }, half)).toThrow(/same trajectories and questions/);
  });
});

describe("absent is not zero", () => {
  const { r_tool_mem, r_tool_qa } = published;

  it("an answer without a score has no reward and leaves the mean of its trajectory", () => {
    const r_outcome = [
      [1, null],
      [null, 0],
      [1, 1],
    ];
    const { R_mem, R_qa, r_bar } = sessionRewards({ r_tool_mem, r_tool_qa, r_outcome }, half);
    expect(r_bar).toEqual([1, 0, 1]);
    expect(R_mem[0]).toEqual([1.5, 1.5]);
    expect(R_qa.slice(0, 2)).toEqual([
      [1.5, null],
      [null, 0.25],
    ]);
  });

  it("a trajectory of which no answer has a score gives its memory sessions no reward", () => {
    const r_outcome = [
      [null, null],
      [1, 1],
      [0, 0],
    ];
    const { R_mem, r_bar } = sessionRewards({ r_tool_mem, r_tool_qa, r_outcome }, half);
    expect(r_bar).toEqual([null, 1, 0]);
    expect(R_mem[0]).toEqual([null, null]);
    expect(R_mem[1]).toEqual([1.25, 1.5]);
  });

  it("every null says why, and a session that was never run is not listed", () => {
    const judged = qaSession("0");
    const unjudged = qaSession("1");
    const records = [
      memorySession(0),
      memorySession(1, { more: failed }),
      judged,
      unjudged,
      memorySession(0, { trajectory: 1 }),
      qaSession("0", { trajectory: 1, more: failed }),
      qaSession("1", { trajectory: 1, more: { end: "cancelled" } }),
    ];
    const sampled = sampledContext(records, [scoreOf(judged, 1), scoreOf(unjudged, null)]);
    const rewards = sessionsOf(rewardTables(sampled, paper));
    expect(Object.fromEntries(rewards.map(({ session, R, reason }) => [session.id, R ?? reason]))).toEqual({
      "c/t0/m0": 1.5,
      "c/t0/m1": "failed",
      "c/t0/q0": 1.5,
      "c/t0/q1": "no-outcome",
      "c/t1/m0": "no-trajectory-outcome",
      "c/t1/q0": "failed",
      "c/t1/q1": "cancelled",
    });
    expect(rewards.map(({ r_outcome }) => r_outcome)).toEqual([1, 1, 1, null, null, null, null]);
  });

  it("a score that a failed session got all the same counts for nothing", () => {
    const broken = qaSession("0", { more: failed });
    const good = qaSession("1");
    const sampled = sampledContext([memorySession(0), broken, good], [scoreOf(broken, 1), scoreOf(good, 0)]);
    expect(rewardTables(sampled, paper)).toMatchObject({ r_outcome: [[null, 0]], r_bar: [0], R_mem: [[0.5]] });
  });
});

describe("the grid", () => {
  it("does not depend on the order of the records, and keeps the context's order of questions", () => {
    const sampled = sampledFrom(published);
    const shuffled = { ...sampled, records: sampled.records.toReversed(), scores: sampled.scores.toReversed() };
    expect(rewardTables(shuffled, paper)).toEqual(rewardTables(sampled, paper));
    const reordered = { ...sampled, context: { id: "c", questions: sampled.context.questions.toReversed() } };
    expect(rewardTables(reordered, paper).grid.questions).toEqual(["1", "0"]);
  });

  it("has a hole where a session was never run, and no column for what was never asked or read", () => {
    const records = [memorySession(0), memorySession(3), memorySession(0, { trajectory: 4 }), qaSession("1")];
    const { grid, R_mem } = rewardTables(sampledContext(records, [scoreOf(records[3]!, 1)]), paper);
    expect(grid).toMatchObject({ trajectories: [0, 4], chunks: [0, 3], questions: ["1"] });
    expect(grid.mem.map((row) => row.map((record) => record?.id ?? null))).toEqual([
      ["c/t0/m0", "c/t0/m3"],
      ["c/t4/m0", null],
    ]);
    expect(R_mem).toEqual([
      [1.5, 1.5],
      [null, null],
    ]);
  });

  it("no records are no sessions; a variant without phase I has no memory columns", () => {
    expect(sessionsOf(rewardTables(sampledContext([], []), paper))).toEqual([]);
    const answer = qaSession("0");
    expect(rewardTables(sampledContext([answer], [scoreOf(answer, 1)]), paper)).toMatchObject({
      R_mem: [[]],
      R_qa: [[1.5]],
    });
  });

  it.each([
    ["a session of another context", [memorySession(0, { context: "d" })], /not a session of the context "c"/],
    ["an unknown question", [qaSession("7")], /no question "7"/],
    ["two records of one session", [memorySession(0), memorySession(0)], /two records for one session/],
  ])("%s is refused", (_what, records, message) => {
    expect(() => rewardTables(sampledContext(records, []), paper)).toThrow(message);
  });
});

describe("outcomes and options that cannot be meant", () => {
  const answer = qaSession("0");

  it("a metric that was not computed names those that were", () => {
    const sampled = sampledContext([answer], [scoreOf(answer, 1)]);
    expect(() => rewardTables(sampled, rewardOptions({ outcome: "f1" }))).toThrow(/no score "f1"/);
    expect(() => rewardTables(sampled, rewardOptions({ outcome: "toString" }))).toThrow(/no score "toString"/);
  });

  it("two scores of one session, and a score that is no number, are refused", () => {
    const twice = sampledContext([answer], [scoreOf(answer, 1), scoreOf(answer, 0)]);
    expect(() => rewardTables(twice, paper)).toThrow(/two scores/);
    expect(() => rewardTables(sampledContext([answer], [scoreOf(answer, Number.NaN)]), paper)).toThrow(/got NaN/);
  });

  it.each([
    [{}, /outcome: expected/],
    [{ outcome: "exact", lambda: -1 }, /lambda\.memory/],
    [{ outcome: "exact", emptySession: 2 }, /emptySession/],
    [{ outcome: "exact", miss: "maybe" as "valid" }, /miss/],
    [{ outcome: "exact", bonus: 1 } as object, /bonus/],
    [{ outcome: "uma-code" }, /needs a data source/],
    [{ profile: "verl" as "paper", outcome: "exact" }, /no reward profile "verl"/],
  ])("%j", (settings, message) => {
    expect(() => rewardOptions(settings)).toThrow(message);
  });
});
