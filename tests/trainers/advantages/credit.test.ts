import { describe, expect, it } from "vitest";
import { assignCredit } from "../../../trainers/advantages/assign-credit.ts";
import type { CreditRule } from "../../../trainers/advantages/credit-rule.ts";
import { advantageOptions } from "../../../trainers/advantages/estimator.ts";
import { type EstimatorName, estimators } from "../../../trainers/advantages/index.ts";
import { liftEstimator } from "../../../trainers/advantages/lift-estimator.ts";
import { Schedule } from "../../../trainers/advantages/schedule.ts";
import { rewardOptions } from "../../../trainers/rewards/reward-options.ts";
import { creditRuleContract } from "../../contracts/estimator.ts";
import {
  failed,
  memorySession,
  published,
  qaSession,
  sampledContext,
  sampledFrom,
  scoreOf,
} from "../rewards/sampled.ts";

const ruleOf = (name: EstimatorName) =>
  liftEstimator(estimators[name], {
    rewards: rewardOptions({ outcome: "exact" }),
    advantages: advantageOptions(),
  });

const update = [sampledFrom(published), sampledFrom(published, "d")];
const joint: Schedule = { kind: "joint" };
const twoStage: Schedule = { kind: "two-stage", memoryUpdates: 2 };

for (const name of ["task-stratified", "global-group", "two-stage", "grpo"] as const) {
  creditRuleContract(ruleOf(name), {
    update,
    schedules: name === "two-stage" ? [twoStage] : [joint, Schedule.parse({ kind: "alternating" }), twoStage],
    failed: memorySession(2, { trajectory: 1, more: failed }),
  });
}

describe("lifted estimators", () => {
  it("a session's credit is its cell in the table: A.21.1 from records", () => {
    const credits = ruleOf("task-stratified").assign(update);
    const advantageOf = (id: string) => credits.get(id)!.advantage!;
    expect(advantageOf("c/t1/m1")).toBeCloseTo(1.2632, 4);
    expect(advantageOf("c/t2/m1")).toBeCloseTo(-1.7685, 4);
    expect(advantageOf("d/t1/q1")).toBeCloseTo(Math.SQRT2, 4);
    expect(advantageOf("d/t2/q0")).toBeCloseTo(-Math.SQRT2, 4);
  });

  it("every null says why: no score, failed, no score in the trajectory, or nobody to compare with", () => {
    const lone = qaSession("1", { trajectory: 0 });
    const judged = [0, 1].map((trajectory) => qaSession("0", { trajectory }));
    const unjudged = qaSession("0", { trajectory: 2 });
    const records = [
      ...[0, 1, 2].map((trajectory) => memorySession(0, { trajectory })),
      ...judged,
      unjudged,
      lone,
      qaSession("1", { trajectory: 1, more: failed }),
    ];
    const scores = [scoreOf(judged[0]!, 1), scoreOf(judged[1]!, 0), scoreOf(unjudged, null), scoreOf(lone, 1)];
    const credits = ruleOf("task-stratified").assign([sampledContext(records, scores)]);
    const shown = [...credits].map(([id, { advantage, reason }]) => [id, reason ?? Math.round(advantage!)]);
    expect(Object.fromEntries(shown)).toEqual({
      "c/t0/m0": 1,
      "c/t0/q0": 1,
      "c/t0/q1": "lone-reward",
      "c/t1/m0": -1,
      "c/t1/q0": -1,
      "c/t1/q1": "failed",
      "c/t2/m0": "no-trajectory-outcome",
      "c/t2/q0": "no-outcome",
    });
  });

  it("a single trajectory, as in evaluation, gives questions no signal", () => {
    const answer = qaSession("0");
    const credits = ruleOf("task-stratified").assign([
      sampledContext([memorySession(0), answer], [scoreOf(answer, 1)]),
    ]);
    expect([...credits.values()]).toEqual([
      { advantage: null, reason: "lone-reward" },
      { advantage: null, reason: "lone-reward" },
    ]);
  });

  it("one context twice in an update is refused", () => {
    expect(() => ruleOf("task-stratified").assign([update[0]!, update[0]!])).toThrow(/two contexts of one update/);
  });
});

describe("what an update trains", () => {
  it("Two-Stage takes no other schedule, since without it nothing would be frozen", () => {
    const plan = { schedule: joint, update: 0 };
    expect(() => assignCredit(ruleOf("two-stage"), update, plan)).toThrow(/not defined for a joint schedule/);
  });

  it("Two-Stage leaves answering out of the loss first and memory afterwards", () => {
    const stagesAt = (index: number) => {
      const credits = assignCredit(ruleOf("two-stage"), update, { schedule: twoStage, update: index });
      return new Set(
        [...credits].filter(([, { advantage }]) => advantage !== null).map(([id]) => id.split("/")[2]![0]),
      );
    };
    expect([0, 1, 2, 3].map((index) => [...stagesAt(index)].join(""))).toEqual(["m", "m", "q", "q"]);
  });

  it("a rule that forgets a session, gives it NaN, or null without a reason is found out", () => {
    const rule = (advantage: number | null | undefined): CreditRule => ({
      name: "broken",
      paper: "",
      assign: ([first]) =>
        new Map(
          first!.records.flatMap(({ id }) => (advantage === undefined ? [] : [[id, { advantage, reason: null }]])),
        ),
    });
    for (const wrong of [undefined, null, Number.NaN, Number.POSITIVE_INFINITY])
      expect(() => assignCredit(rule(wrong), update, { schedule: joint, update: 0 })).toThrow(/no usable credit/);
    expect(assignCredit(rule(0), update.slice(0, 1), { schedule: joint, update: 0 }).size).toBe(12);
  });
});
