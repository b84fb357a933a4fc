// biome-ignore-all lint/suspicious/noApproximativeNumericConstant: golden numbers, rounded as the design gives them
import { describe, expect, it } from "vitest";
import { type Advantages, advantageOptions, type Rewards } from "../../../trainers/advantages/estimator.ts";
import { estimators } from "../../../trainers/advantages/index.ts";
import { type Schedule, trainedStages } from "../../../trainers/advantages/schedule.ts";
import { rewardOptions } from "../../../trainers/rewards/reward-options.ts";
import { rewardTables } from "../../../trainers/rewards/reward-tables.ts";
import { estimatorContract } from "../../contracts/estimator.ts";
import { published, sampledFrom } from "../rewards/sampled.ts";

const columns = (rows: Advantages["A_qa"]) => (rows[0] ?? []).map((_, j) => rows.map((row) => row[j]!));
const stratified = { groups: ({ A_mem, A_qa }: Advantages) => [A_mem.flat(), ...columns(A_qa)] };

estimatorContract(estimators["task-stratified"], stratified);
estimatorContract(estimators["two-stage"], stratified);
estimatorContract(estimators["global-group"], {
  groups: ({ A_mem, A_qa }) => [[...A_mem.flat(), ...A_qa.flat()]],
  comparesQuestions: "all sessions form one group",
});
estimatorContract(estimators.grpo, {
  // one return per trajectory, so a trajectory counts once, where it is known
  groups: ({ A_mem, A_qa }) => {
    const returns = A_mem.map((row, i) => [...row, ...A_qa[i]!].find((advantage) => advantage !== null));
    return returns.every((advantage) => advantage !== undefined) ? [returns] : [];
  },
  comparesQuestions: "a trajectory's return is the mean over its questions",
});

const tables = rewardTables(sampledFrom(published), rewardOptions({ outcome: "exact" }));
const rounded = ({ A_mem, A_qa }: Advantages) =>
  [A_mem, A_qa].map((rows) => rows.map((row) => row.map((advantage) => Math.round(advantage! * 1e4) / 1e4)));

describe("A.21.1", () => {
  const estimate = (name: keyof typeof estimators, profile: "paper" | "uma-code" = "paper") =>
    rounded(estimators[name].estimate([tables], advantageOptions({ profile }))[0]!);

  it("Eqs. 5–6 with the population's deviation", () => {
    expect(estimate("task-stratified")).toEqual([
      [
        [0.2526, 0.2526],
        [0.7579, 1.2632],
        [-0.7579, -1.7685],
      ],
      [
        [0.7071, -0.7071],
        [0.7071, 1.4142],
        [-1.4142, -0.7071],
      ],
    ]);
  });

  it("with the sample's deviation, as in the published code", () => {
    expect(estimate("task-stratified", "uma-code")).toEqual([
      [
        [0.2306, 0.2306],
        [0.6919, 1.1532],
        [-0.6919, -1.6144],
      ],
      [
        // 0.57735 less what ε takes
        [0.5773, -0.5773],
        [0.5773, 1.1547],
        [-1.1547, -0.5773],
      ],
    ]);
  });

  it("Global Group: all ten sessions together", () => {
    const [mem, qa] = estimate("global-group");
    expect(mem!.flat()).toEqual([0.2335, 0.2335, 0.7006, 1.1677, -0.7006, -1.6348]);
    expect(qa!.flat()).toEqual([1.1677, -0.7006, 1.1677, 0.7006, -1.6348, -0.7006]);
  });

  it("Two-Stage has the groups of Eqs. 5–6", () => {
    expect(estimate("two-stage")).toEqual(estimate("task-stratified"));
  });

  it("GRPO: the mean outcomes .5, 1 and 0 of the trajectories, given to each of their sessions", () => {
    const spread = [
      [0, 0],
      [1.2247, 1.2247],
      [-1.2247, -1.2247],
    ];
    expect(estimate("grpo")).toEqual([spread, spread]);
  });
});

describe("groups", () => {
  const rewards = (R_mem: number[][], R_qa: number[][]): Rewards => ({ R_mem, R_qa, r_outcome: R_qa });

  it("Eq. 6 normalises a question only against other memories", () => {
    const update = [rewards([[], []], [[1], [0]])];
    const [{ A_qa }] = estimators["task-stratified"].estimate(update, advantageOptions()) as [Advantages];
    expect(A_qa.flat()).toEqual([expect.closeTo(1, 5), expect.closeTo(-1, 5)]);
  });

  it("Eq. 5's memory group is a context's by default and the update's by option; questions stay apart either way", () => {
    const easy = rewards([[4], [2]], [[1], [0]]);
    const hard = rewards([[2], [0]], [[5], [0]]);
    const estimate = (memoryGroup: "per-context" | "per-update") =>
      estimators["task-stratified"].estimate([easy, hard], advantageOptions({ memoryGroup })).map(rounded);
    const qa = [[1], [-1]];
    expect(estimate("per-context")).toEqual([
      [[[1], [-1]], qa],
      [[[1], [-1]], qa],
    ]);
    expect(estimate("per-update")).toEqual([
      [[[1.4142], [0]], qa],
      [[[0], [-1.4142]], qa],
    ]);
  });

  it("a lone session has company in the update's group", () => {
    const update = [rewards([[3]], [[]]), rewards([[1]], [[]])];
    const estimate = (name: "task-stratified" | "global-group", memoryGroup: "per-context" | "per-update") =>
      estimators[name].estimate(update, advantageOptions({ memoryGroup })).map(({ A_mem }) => A_mem[0]![0]);
    for (const name of ["task-stratified", "global-group"] as const) {
      expect(estimate(name, "per-context")).toEqual([null, null]);
      expect(estimate(name, "per-update")).toEqual([expect.closeTo(1, 5), expect.closeTo(-1, 5)]);
    }
  });

  it("grpo compares siblings only: a group over the update is refused", () => {
    expect(() => estimators.grpo.estimate([], advantageOptions({ memoryGroup: "per-update" }))).toThrow(/one context/);
  });

  it("each estimator is listed under its own name", () => {
    for (const [name, estimator] of Object.entries(estimators)) expect(estimator.name).toBe(name);
  });
});

describe("schedules", () => {
  const over = (schedule: Schedule) =>
    [0, 1, 2, 3, 4].map((update) =>
      trainedStages(schedule, update)
        .map((stage) => stage[0])
        .join(""),
    );

  it("joint trains both, two-stage memory and then answering, alternating the one and the other in turn", () => {
    expect(over({ kind: "joint" })).toEqual(["mq", "mq", "mq", "mq", "mq"]);
    expect(over({ kind: "two-stage", memoryUpdates: 3 })).toEqual(["m", "m", "m", "q", "q"]);
    expect(over({ kind: "alternating", memory: 1, qa: 1 })).toEqual(["m", "q", "m", "q", "m"]);
    expect(over({ kind: "alternating", memory: 1, qa: 2 })).toEqual(["m", "q", "q", "m", "q"]);
  });

  it.each([-1, 0.5, Number.NaN])("update %s is refused", (update) => {
    expect(() => trainedStages({ kind: "joint" }, update)).toThrow(/from 0 on/);
  });
});
