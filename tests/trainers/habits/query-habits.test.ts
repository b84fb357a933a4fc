import { describe, expect, it } from "vitest";
import type { Query } from "../../../evals/benchmarks/ledger-qa/questions.ts";
import { ledgerHabits } from "../../../trainers/habits/catalog.ts";
import { createTally } from "../../../trainers/habits/habit.ts";
import { countQueryHabits } from "../../../trainers/habits/ledger/query-habits.ts";
import { ask, call } from "./hand-made.ts";

/** Habits that struck, and those that could have, by name. */
function judged(query: Query, ...calls: Parameters<typeof countQueryHabits>[0]["calls"]) {
  const tally = createTally();
  countQueryHabits({ calls }, query, tally);
  const rates = Object.entries(tally.rates(ledgerHabits)).filter(([, { occasions }]) => occasions > 0);
  return {
    struck: rates.filter(([, { rate }]) => rate === 1).map(([name]) => name),
    could: rates.map(([name]) => name),
  };
}

const [from, to] = ["2024-01-03", "2024-02-01"];
const query = (type: Query["type"], scenes: string[], dates: string[] = [from, to]): Query => ({ type, scenes, dates });
const two = query("time_range_multiple_scenes_amount", ["Dining", "Medical"]);
const right = { operation: "sum", from, to, scenes: ["Dining", "Medical"] };

describe("a query", () => {
  it("for two categories in a range can go wrong in each of its parts", () => {
    expect(judged(two, ask(right))).toEqual({
      struck: [],
      could: ["rangeMissing", "rangeWrong", "wrongOperation", "categoriesIncomplete", "categoriesWrong"],
    });
    expect(judged(two, ask({ ...right, scenes: ["medical", " Dining"] })).struck).toEqual([]);
    expect(judged(two, ask({ operation: "sum", from, scenes: ["Dining", "Medical"] }))).toEqual({
      struck: ["rangeMissing"],
      could: ["rangeMissing", "wrongOperation", "categoriesIncomplete", "categoriesWrong"],
    });
    expect(judged(two, ask({ ...right, to: "2024-02-11" })).struck).toEqual(["rangeWrong"]);
    expect(judged(two, ask({ ...right, operation: "max" })).struck).toEqual(["wrongOperation"]);
    expect(judged(two, ask({ ...right, group_by: "scene" })).struck).toEqual(["wrongOperation"]);
    expect(judged(two, ask({ ...right, scenes: ["Dining"] })).struck).toEqual(["categoriesIncomplete"]);
    expect(judged(two, ask({ ...right, scenes: ["Dining", "Other"] })).struck).toEqual([
      "categoriesIncomplete",
      "categoriesWrong",
    ]);
    expect(judged(two, ask({ ...right, sub_scene: "Coffee" })).struck).toEqual(["categoriesWrong"]);
  });

  it("needs no dates where the question names none, and must not have any", () => {
    const busiest = query("max_frequency_date", ["Dining"], []);
    const args = { operation: "count", group_by: "date", scenes: ["Dining"] };
    expect(judged(busiest, ask(args))).toEqual({ struck: [], could: ["wrongOperation", "categoriesWrong"] });
    expect(judged(busiest, ask({ ...args, from })).struck).toEqual(["rangeWrong"]);
    expect(judged(busiest, ask({ ...args, operation: "sum" })).struck).toEqual(["wrongOperation"]);
    expect(judged(busiest, ask({ operation: "count", group_by: "date" })).struck).toEqual(["categoriesWrong"]);
  });

  it("for one day has it at both ends", () => {
    const one = query("single_date_scene_amount", ["Dining"], [from]);
    expect(judged(one, ask({ operation: "sum", from, to: from, scenes: ["Dining"] })).struck).toEqual([]);
    expect(judged(one, ask({ operation: "sum", from, to, scenes: ["Dining"] })).struck).toEqual(["rangeWrong"]);
  });

  it("for one sub-scene needs no category beside it", () => {
    const point: Query = { ...query("single_date_subscene_amount", ["Dining"], [from]), subscene: "Coffee" };
    const args = { operation: "sum", from, to: from, sub_scene: "Coffee" };
    expect(judged(point, ask(args)).struck).toEqual([]);
    expect(judged(point, ask({ ...args, scenes: ["Dining"] })).struck).toEqual([]);
    expect(judged(point, ask({ ...args, sub_scene: "Snacks" })).struck).toEqual(["categoriesWrong"]);
  });

  it("counts by the last one that was answered, or the last; and not at all without one", () => {
    expect(judged(two, ask({ operation: "sum" }), ask(right)).struck).toEqual([]);
    expect(judged(two, ask(right), ask({ operation: "sum" }, "invalid")).struck).toEqual([]);
    expect(judged(two, ask({ operation: "sum" }, "invalid")).struck).toContain("rangeMissing");
    expect(judged(two, call("memory_key_retrieve", { title: from })).could).toEqual([]);
    expect(judged(two, call("ledger_aggregate", null, { verdict: "invalid" })).could).toEqual([]);
  });
});
