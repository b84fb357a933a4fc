import { appendFileSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readCreditLog, writeCreditLog } from "../../../evals/credit-log.ts";
import { type EstimatorName, estimators } from "../../../trainers/advantages/index.ts";
import { type CreditSettings, creditOptions } from "../../../trainers/credit/credit-options.ts";
import { creditSummary } from "../../../trainers/credit/credit-summary.ts";
import { folderCredit } from "../../../trainers/credit/folder-credit.ts";
import { readUpdate } from "../../../trainers/credit/read-update.ts";
import { runCredit } from "../../../trainers/credit/run-credit.ts";
import type { SampledContext } from "../../../trainers/rewards/session-grid.ts";
import { temporaryFolder } from "../../evals/reports/invented-run.ts";
import { failed, memorySession, qaSession, sampledContext, sampledFrom, scoreOf } from "../rewards/sampled.ts";
import { goldenContexts, writeSampledRun } from "./golden-run.ts";

const folder = temporaryFolder();
let runs = 0;
const newRun = (sampled?: readonly SampledContext[]) => writeSampledRun(folder, `run-${runs++}`, sampled);

async function creditOf(run: string, settings: CreditSettings = {}) {
  const update = await readUpdate(run, { benchmark: null });
  return runCredit(update, creditOptions(update, settings));
}

const A_of = (log: { advantages: readonly { session: string; A: number | null }[] }) => (id: string) =>
  log.advantages.find(({ session }) => session === id)!.A!;

describe("credit of a run folder", () => {
  it("is A.21.1 from files: rewards, advantages and the terms they are made of", async () => {
    const { log, contexts } = await creditOf(newRun());
    const [c] = contexts;
    expect(c!.tables.R_mem).toEqual([
      [1, 1],
      [1.25, 1.5],
      [0.5, 0],
    ]);
    expect(c!.tables.R_qa).toEqual([
      [1.5, 0.5],
      [1.5, 1.25],
      [0, 0.5],
    ]);
    const flat = [0.2526, 0.2526, 0.7579, 1.2632, -0.7579, -1.7685];
    c!.A_mem.flat().forEach((A, n) => {
      expect(A!).toBeCloseTo(flat[n]!, 4);
    });
    expect(A_of(log)("d/t1/q1")).toBeCloseTo(Math.SQRT2, 4);
    expect(log.rewards.find(({ session }) => session === "c/t1/m0")).toEqual({
      session: "c/t1/m0",
      context: "c",
      trajectory: 1,
      stage: "memory",
      position: 0,
      question: null,
      calls: { valid: 1, total: 2 },
      r_tool: 0.5,
      r_outcome: 1,
      R: 1.25,
      reason: null,
    });
    expect(log.advantages.find(({ session }) => session === "c/t1/q0")).toMatchObject({ group: "c/q0", reason: null });
  });

  it("follows its options: sample deviation, one λ for each kind of session, λ = 0", async () => {
    const run = newRun();
    const sample = await creditOf(run, { advantages: { deviation: "sample" } });
    expect(A_of(sample.log)("c/t1/m1")).toBeCloseTo(1.1532, 4);
    const apart = await creditOf(run, { rewards: { lambda: { memory: 2 } } });
    expect(apart.contexts[0]!.tables.R_mem[1]).toEqual([2, 3]);
    expect(apart.contexts[0]!.tables.R_qa[1]).toEqual([1.5, 1.25]);
    const outcome = await creditOf(run, { rewards: { lambda: 0 } });
    expect(outcome.contexts[0]!.tables.R_qa).toEqual(outcome.contexts[0]!.tables.r_outcome);
  });

  it("two-stage gives the stage that is not trained no advantage, with the reason", async () => {
    const run = newRun();
    const memory = await creditOf(run, { estimator: "two-stage" });
    expect(A_of(memory.log)("c/t1/m1")).toBeCloseTo(1.2632, 4);
    expect(creditSummary(memory.log).nulls.A).toEqual({ "frozen-stage": 12 });
    const qa = await creditOf(run, { estimator: "two-stage", trained: "qa" });
    expect(creditSummary(qa.log).strata).toMatchObject({ memory: { withSignal: 0 }, qa: { withSignal: 12 } });
    await expect(creditOf(run, { trained: "qa" })).rejects.toThrow("task-stratified trains both stages");
  });

  it("does not depend on the order in which sessions finished", async () => {
    const shuffled = goldenContexts.map((sampled) => ({
      ...sampled,
      records: [...sampled.records].reverse(),
      scores: [...sampled.scores].reverse(),
    }));
    const [a, b] = [await creditOf(newRun()), await creditOf(newRun(shuffled))];
    expect(b.log).toEqual(a.log);
  });

  it("counts nulls by reason and groups without spread", async () => {
    const judged = [0, 1].map((trajectory) => qaSession("0", { trajectory, verdicts: ["valid"] }));
    const lone = qaSession("1", { trajectory: 0 });
    const records = [
      ...[0, 1].map((trajectory) => memorySession(0, { trajectory, verdicts: ["valid"] })),
      memorySession(1, { trajectory: 0, more: failed }),
      ...judged,
      lone,
      qaSession("1", { trajectory: 1, more: failed }),
    ];
    const scores = [scoreOf(judged[0]!, 1), scoreOf(judged[1]!, 1), scoreOf(lone, 1)];
    const { log } = await creditOf(newRun([sampledContext(records, scores)]));
    const summary = creditSummary(log);
    expect(summary.nulls).toEqual({ R: { failed: 2 }, A: { failed: 2, "lone-reward": 1 } });
    // the memory group and question 0 have equal rewards, question 1 has nobody to compare with
    expect(summary.groups).toEqual({ compared: 2, withoutSpread: 2 });
    expect(summary.zeroVarianceShare).toBe(1);
    expect(summary.strata.qa).toEqual({ sessions: 4, rewarded: 3, withSignal: 2, zero: 2 });
  });

  it("names each group such that its advantages sum to 0", async () => {
    const value = fc.constantFrom(0, 0.5, 1);
    const table = fc.array(fc.array(value, { minLength: 2, maxLength: 2 }), { minLength: 3, maxLength: 3 });
    const tables = fc.record({ r_tool_mem: table, r_tool_qa: table, r_outcome: table });
    const cases = (["task-stratified", "global-group"] as EstimatorName[]).flatMap((estimator) =>
      (["per-context", "per-update"] as const).map((memoryGroup) => ({ estimator, memoryGroup })),
    );
    await fc.assert(
      fc.asyncProperty(tables, tables, fc.constantFrom(...cases), async (first, second, { estimator, memoryGroup }) => {
        const sampled = [sampledFrom(first), sampledFrom(second, "d")];
        const update = await readUpdate(newRun(sampled), { benchmark: null });
        const { log } = runCredit(update, creditOptions(update, { estimator, advantages: { memoryGroup } }));
        const sums = new Map<string, number>();
        for (const { group, A } of log.advantages) sums.set(group, (sums.get(group) ?? 0) + A!);
        for (const sum of sums.values()) expect(sum).toBeCloseTo(0, 6);
        expect(sums.size).toBe(
          estimator === "global-group" ? (memoryGroup === "per-update" ? 1 : 2) : memoryGroup === "per-update" ? 5 : 6,
        );
      }),
      { numRuns: 24 },
    );
  });

  it.each(Object.keys(estimators) as EstimatorName[])(
    "every session has a line in both tables: %s",
    async (estimator) => {
      const { log } = await creditOf(newRun(), { estimator });
      expect(log.rewards).toHaveLength(24);
      expect(log.advantages.map(({ session }) => session)).toEqual(log.rewards.map(({ session }) => session));
    },
  );
});

describe("what cannot be computed is refused", () => {
  it("a metric that the run does not have, with those it has", async () => {
    await expect(creditOf(newRun(), { rewards: { outcome: "exakt" } })).rejects.toMatchObject({
      code: "config",
      message: 'this run has no metric "exakt"',
      fix: "did you mean exact? choose one of exact, uma-code",
    });
  });

  it("a metric is found whether its name is written with hyphens or underscores", async () => {
    const named = goldenContexts.map((sampled) => ({
      ...sampled,
      scores: sampled.scores.map((line) => ({ ...line, metrics: { em: 0, decimal_exact: 1 } })),
    }));
    const { options } = await creditOf(newRun(named), { rewards: { outcome: "decimal-exact" } });
    expect(options.rewards.outcome).toBe("decimal_exact");
  });

  it("an estimator that there is not, and options that are impossible", async () => {
    await expect(creditOf(newRun(), { estimator: "best" as EstimatorName })).rejects.toThrow('no estimator "best"');
    await expect(creditOf(newRun(), { rewards: { lambda: -1 } })).rejects.toMatchObject({ code: "config" });
    await expect(creditOf(newRun(), { estimator: "grpo", advantages: { memoryGroup: "per-update" } })).rejects.toThrow(
      "grpo compares the trajectories of one context",
    );
  });
});

describe("the files of a run's credit", () => {
  const names = ["rewards.jsonl", "advantages.jsonl", "credit.json"];
  const bytes = (run: string) => names.map((name) => readFileSync(join(run, name)).toString("hex"));

  it("computed twice are the same bytes, and read back they are what was written", async () => {
    const run = newRun();
    const first = await creditOf(run);
    writeCreditLog(run, first.log);
    const before = bytes(run);
    writeCreditLog(run, (await creditOf(run)).log);
    expect(bytes(run)).toEqual(before);
    expect(readCreditLog(run)).toEqual(JSON.parse(JSON.stringify(first.log)));
  });

  it("are used while they fit the log, and made again with the defaults when they do not", async () => {
    const run = newRun();
    const read = async () => folderCredit(await readUpdate(run, { benchmark: null }));
    expect((await read()).from).toBe("missing");
    writeCreditLog(run, (await creditOf(run, { rewards: { lambda: 0 } })).log);
    expect(await read()).toMatchObject({ from: "folder", log: { options: { rewards: { lambda: { memory: 0 } } } } });
    const more = qaSession("0", { trajectory: 3 });
    appendFileSync(join(run, "records.jsonl"), `${JSON.stringify(more)}\n`);
    expect(await read()).toMatchObject({
      from: "outdated",
      log: { options: { rewards: { lambda: { memory: 0.5 } } } },
    });
  });

  it.each(names)("half of a set is no credit: %s edited or gone", async (name) => {
    const run = newRun();
    writeCreditLog(run, (await creditOf(run)).log);
    writeFileSync(join(run, name), readFileSync(join(run, name), "utf8").replace(/1/, "2"));
    expect(readCreditLog(run)).toBeNull();
    rmSync(join(run, name));
    expect(readCreditLog(run)).toBeNull();
  });

  it("a run without any score has r_tool, and a reason for every missing reward", async () => {
    const run = newRun();
    rmSync(join(run, "scores.jsonl"));
    const update = await readUpdate(run, { benchmark: null });
    expect(() => creditOptions(update)).toThrow("the run has no scores yet");
    const { log } = folderCredit(update);
    expect(log.rewards.every(({ R, r_tool }) => R === null && r_tool !== null)).toBe(true);
    expect(creditSummary(log).nulls.R).toEqual({ "no-trajectory-outcome": 12, "no-outcome": 12 });
  });

  it("answers that the file has no score for yet are scored by the benchmark", async () => {
    const run = newRun();
    const lines = readFileSync(join(run, "scores.jsonl"), "utf8").trimEnd().split("\n");
    writeFileSync(join(run, "scores.jsonl"), `${lines.slice(0, -1).join("\n")}\n`);
    const metrics = [{ name: "exact", score: () => 1 }];
    const update = await readUpdate(run, { benchmark: { metrics } });
    expect(update.scoredNow).toBe(1);
    const { log } = runCredit(update, creditOptions(update));
    expect(log.rewards.find(({ session }) => session === "d/t2/q1")).toMatchObject({ r_outcome: 1, R: 1.5 });
  });
});
