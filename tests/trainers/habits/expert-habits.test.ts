/** The panel on policies whose habits are known: the expert has none, and the faulty one has those it was given. */
import { describe, expect, it } from "vitest";
import { createPolicy } from "../../../policies/index.ts";
import { badHabits } from "../../../policies/ledger-expert/with-habits.ts";
import { habits } from "../../../trainers/habits/catalog.ts";
import { habitRates } from "../../../trainers/habits/habit-rates.ts";
import { ledgerTruths } from "../../../trainers/habits/ledger/truth.ts";
import { sampled } from "./sampled-habits.ts";

describe("the expert's habits are clean", () => {
  it.each([
    { style: "entries", config: { profile: "micro", split: "train", horizon: [3, 6], contexts: 3 } },
    { style: "entries", config: { profile: "full", horizon: [10], contexts: 1, pointQueries: true } },
    { style: "pages", config: { profile: "full", horizon: [6], contexts: 2 } },
  ] as const)("in the style $style, $config.profile", async ({ style, config }) => {
    const policy = await createPolicy({ policy: "ledger-expert", style });
    const rates = await habitRates([
      await sampled(policy, config, { prompt: style === "pages" ? "default" : "micro" }),
    ]);
    for (const { name, good } of habits) {
      expect(rates[name]!.occasions, name).toBeGreaterThan(0);
      if (good !== null && name !== "miss") expect(rates[name]!.rate, name).toBe(good === "high" ? 1 : 0);
    }
  });
});

it("the faulty expert's habits come out at the rates that it was given", async () => {
  const config = { profile: "micro", split: "train", horizon: [6], contexts: 24, questions: 8 };
  const source = await sampled(await createPolicy({ policy: "ledger-expert", habits: true }), config);
  const rates = await habitRates([source]);
  const truths = await ledgerTruths(config, source.contexts);
  // it drops one of several only
  const told = [...truths.values()].flatMap(({ sessions }) => sessions.map(({ recorded }) => recorded.length));
  const several = told.filter((count) => count > 1).length / told.length;
  const expected = {
    droppedTransaction: badHabits.dropExpense * several,
    correctionApplied: 1 - badHabits.ignoreCorrection,
    editAttempted: 1 - badHabits.skipEdit,
    rangeMissing: badHabits.noRange,
    wrongOperation: badHabits.wrongOperation,
    categoriesIncomplete: badHabits.firstCategory,
    illegalCall: (1 - badHabits.noLook) * badHabits.illegalCall,
    noLook: badHabits.noLook,
  };
  for (const [name, rate] of Object.entries(expected)) {
    const { rate: found, occasions } = rates[name]!;
    const error = Math.sqrt((rate * (1 - rate)) / occasions);
    expect(Math.abs(found! - rate), `${name}: ${found} of ${occasions}, expected ${rate}`).toBeLessThan(3 * error);
  }
  expect(rates.wrongTitleDate!.rate).toBeGreaterThan(0.01);
  expect(rates.editRight!.rate).toBeLessThan(rates.editAttempted!.rate!);
  for (const clean of ["wrongDate", "wrongAmount", "wrongCategory", "inventedEntry", "rangeWrong", "categoriesWrong"])
    expect(rates[clean]!.rate, clean).toBe(0);
});
