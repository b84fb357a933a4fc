import { expect, it } from "vitest";
import { habits } from "../../../trainers/habits/catalog.ts";
import { habitRates } from "../../../trainers/habits/habit-rates.ts";
import { add, answered, ask, call, kept, look, remove } from "./hand-made.ts";

const source = (...records: ReturnType<typeof kept>[]) => ({
  benchmark: { name: "words", config: {} },
  contexts: [],
  records,
});

async function rates(...records: ReturnType<typeof kept>[]) {
  const found = Object.entries(await habitRates([source(...records)]));
  return Object.fromEntries(found.flatMap(([name, { rate, occasions }]) => (occasions === 0 ? [] : [[name, rate]])));
}

it("every habit has a rate, and null without an occasion", async () => {
  const none = await habitRates([]);
  expect(Object.keys(none)).toEqual(habits.map(({ name }) => name));
  expect(new Set(Object.values(none).map(({ rate }) => rate))).toEqual(new Set([null]));
  expect(new Set(Object.keys(none)).size).toBe(habits.length);
});

it("calls are counted by their verdicts", async () => {
  const calls = [
    call("memory_add", { title: "a", content: "" }),
    call("memory_add", { title: "a" }, { verdict: "invalid" }),
    call("memory_ad", { title: "a" }, { verdict: "invalid" }),
    call("", null, { verdict: "invalid" }),
    call("memory_list", {}, { verdict: "repaired", repaired: true }),
    look("b", null),
    look("c", "e1"),
    look("d", "e1"),
  ];
  expect(await rates(kept(0, calls))).toMatchObject({
    wrongTool: 1 / 8,
    invalidCall: 3 / 8,
    miss: 1 / 8,
    repairedCall: 1 / 8,
  });
});

it("a call that only building the memory has is illegal when answering; one over a limit is not", async () => {
  const illegal = answered([
    call("memory_add", { title: "a", content: "" }, { verdict: "refused" }),
    ask({ operation: "sum" }),
  ]);
  const tooMany = answered([ask({ operation: "sum" }, "refused")]);
  expect(await rates(illegal, tooMany)).toMatchObject({ illegalCall: 0.5, noLook: 0.5 });
});

it("an answer needs a look: a call that was run, or passages that were given", async () => {
  const given = answered([], { given: [{ kind: "sub-chunk", id: "s", rank: 1, score: 1 }] });
  expect(await rates(answered([]), given, answered([look("a", null)]), answered([], { answer: null }))).toMatchObject({
    noLook: 1 / 3,
  });
});

it("the core, the end and the growth of the bank are those of memory sessions", async () => {
  const entry = ["a", "b"] as const;
  const core = { before: "x", after: " \n", committed: true, kept: null };
  expect(
    await rates(
      kept(0, [add("e1", entry), add("e2", ["c", "d"])]),
      kept(1, [remove("e1", entry)], { core, end: "turns" }),
    ),
  ).toMatchObject({ emptyCore: 0.5, unfinished: 0.5, bankGrowth: 0.5 });
});

it("sessions that failed are not judged, and sources are pooled", async () => {
  const failed = kept(0, [look("a", null)], { end: "error" });
  expect(await rates(failed, kept(1, [], { end: "cancelled" }))).toEqual({});
  const pooled = await habitRates([source(kept(0, [look("a", null)])), source(kept(0, [look("a", "e1")]), failed)]);
  expect(pooled.miss).toEqual({ rate: 0.5, occasions: 2 });
});
