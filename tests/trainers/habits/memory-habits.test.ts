import { describe, expect, it } from "vitest";
import type { SessionRecord } from "../../../nodes/session/record.ts";
import { ledgerHabits } from "../../../trainers/habits/catalog.ts";
import { createTally } from "../../../trainers/habits/habit.ts";
import { countMemoryHabits } from "../../../trainers/habits/ledger/memory-habits.ts";
import type { LedgerTruth } from "../../../trainers/habits/ledger/truth.ts";
import { add, changed, kept, look, miss, remove, told, truth, update } from "./hand-made.ts";

/** "2 of 3", by habit; habits without an occasion are left out. */
function counted(sessions: readonly SessionRecord[], about: LedgerTruth): Record<string, string> {
  const tally = createTally();
  countMemoryHabits(sessions, about, tally);
  return Object.fromEntries(
    Object.entries(tally.rates(ledgerHabits)).flatMap(([name, { rate, occasions }]) =>
      occasions === 0 ? [] : [[name, `${Math.round(rate! * occasions)} of ${occasions}`]],
    ),
  );
}

const day = "2024-02-23";
const later = "2024-03-01";
const coffee = [`${day} Coffee`, `${day} | Dining | Coffee | 4.50`] as const;
const taxi = [`${day} Taxi`, `${day} | Transportation | Taxi | 12.00`] as const;
const rent = [`${later} Rent`, `${later} | Utilities | Rent | 900.00`] as const;
const first = { recorded: [told(day, "Coffee", 450), told(day, "Taxi", 1200)], changes: [] };
const clean = {
  droppedTransaction: "0 of 1",
  wrongTitleDate: "0 of 2",
  wrongDate: "0 of 2",
  wrongAmount: "0 of 2",
  wrongCategory: "0 of 2",
  inventedEntry: "0 of 2",
};

describe("what a chunk tells of", () => {
  it("is right when every transaction stands under its date, category and amount", () => {
    expect(counted([kept(0, [add("e1", coffee), add("e2", taxi)])], truth(first))).toEqual(clean);
  });

  it("is dropped when nothing written is like it", () => {
    expect(counted([kept(0, [add("e1", coffee)])], truth(first))).toMatchObject({
      droppedTransaction: "1 of 1",
      wrongDate: "0 of 1",
    });
    expect(counted([kept(0, [])], truth(first))).toEqual({ droppedTransaction: "1 of 1" });
    // written, and taken back in the same session
    expect(counted([kept(0, [add("e1", coffee), add("e2", taxi), remove("e2", taxi)])], truth(first))).toMatchObject({
      droppedTransaction: "1 of 1",
    });
  });

  it("is written wrong, not dropped, when one part of it is", () => {
    const one = (title: string, content: string) =>
      counted([kept(0, [add("e1", [title, content]), add("e2", taxi)])], truth(first));
    expect(one("2024-02-27 Coffee", coffee[1])).toEqual({ ...clean, wrongTitleDate: "1 of 2" });
    expect(one(coffee[0], "2024-02-27 | Dining | Coffee | 4.50")).toEqual({ ...clean, wrongDate: "1 of 2" });
    expect(one(coffee[0], `${day} | Dining | Coffee | 5.40`)).toEqual({ ...clean, wrongAmount: "1 of 2" });
    expect(one("Snacks", `${day} | Dining | Snacks | 4.50`)).toEqual({
      ...clean,
      wrongTitleDate: "0 of 1",
      wrongCategory: "1 of 2",
    });
    // a date or an amount that cannot be read is a wrong one
    expect(one(coffee[0], "202-02-23 | Dining | Coffee | 4.5.0")).toEqual({
      ...clean,
      wrongDate: "1 of 2",
      wrongAmount: "1 of 2",
    });
  });

  it("is invented when the chunk has nothing like it", () => {
    const calls = [add("e1", coffee), add("e2", taxi), add("e3", [`${day} Rent`, `${day} | Utilities | Rent | 70.00`])];
    expect(counted([kept(0, calls)], truth(first))).toEqual({ ...clean, inventedEntry: "1 of 3" });
  });

  it("is corrected when the amount is the last one said", () => {
    const about = truth({ recorded: [told(day, "Coffee", 540, 450), told(day, "Taxi", 1200)], changes: [] });
    const session = (amount: string) =>
      kept(0, [add("e1", [coffee[0], `${day} | Dining | Coffee | ${amount}`]), add("e2", taxi)]);
    expect(counted([session("4.50")], about)).toEqual({ ...clean, correctionApplied: "1 of 1" });
    expect(counted([session("5.40")], about)).toEqual({ ...clean, correctionApplied: "0 of 1" });
    // neither the one nor the other
    expect(counted([session("4.05")], about)).toEqual({
      ...clean,
      correctionApplied: "0 of 1",
      wrongAmount: "1 of 2",
    });
    // a second write that puts the first right
    const wrong = [coffee[0], `${day} | Dining | Coffee | 5.40`] as const;
    const mended = kept(0, [add("e1", wrong), add("e2", taxi), update("e1", wrong, coffee)]);
    expect(counted([mended], about)).toEqual({ ...clean, correctionApplied: "1 of 1" });
  });

  it("is found in one entry per day, and in free words", () => {
    const page = add("e1", [day, `${coffee[1]}\n${taxi[1]} | to the station\ntotal 16.50`]);
    expect(counted([kept(0, [page])], truth(first))).toEqual(clean);
    const prose = add("e1", [
      `Spending on ${day}`,
      "- flat white at the corner: $4.50\n- taxi home, 12 dollars\nTotal: $16.50",
    ]);
    expect(counted([kept(0, [prose])], truth(first))).toEqual(clean);
    const spoken = add("e1", ["February 23, 2024", "flat white 4.50, taxi 21"]);
    expect(counted([kept(0, [spoken])], truth(first))).toMatchObject({ droppedTransaction: "1 of 1" });
    const growing = [add("e1", ["Coffee", `${day}: 4.50`]), add("e2", ["Taxi", `${day}: 12`])];
    const more = update("e1", ["Coffee", `${day}: 4.50`], ["Coffee", `${day}: 4.50\n${later}: 5.00`]);
    const twice = truth(first, { recorded: [told(later, "Coffee", 500)], changes: [] });
    expect(counted([kept(0, growing), kept(1, [more])], twice)).toEqual({
      droppedTransaction: "0 of 2",
      wrongDate: "0 of 3",
      wrongAmount: "0 of 3",
      wrongCategory: "0 of 3",
      inventedEntry: "0 of 3",
    });
  });
});

describe("an edit or a refund of an earlier day", () => {
  const edit = { recorded: [told(later, "Rent", 90000)], changes: [changed(day, "Coffee", 450, 400)] };
  const refund = { recorded: [told(later, "Rent", 90000)], changes: [changed(day, "Coffee", 450, null)] };
  const before = kept(0, [add("e1", coffee), add("e2", taxi)]);
  const edits = (...calls: Parameters<typeof kept>[1]) => pick(counted([kept(1, calls), before], truth(first, edit)));
  const refunds = (...calls: Parameters<typeof kept>[1]) =>
    pick(counted([before, kept(1, calls)], truth(first, refund)));
  const pick = ({
    editAttempted,
    editRightEntry,
    editRight,
    inventedEntry,
    droppedTransaction,
  }: Record<string, string>) => ({
    editAttempted,
    editRightEntry,
    editRight,
    inventedEntry,
    droppedTransaction,
  });
  const good = {
    ...{ editAttempted: "1 of 1", editRightEntry: "1 of 1", editRight: "1 of 1" },
    ...{ inventedEntry: "0 of 3", droppedTransaction: "0 of 2" },
  };
  const now = (amount: string) => [coffee[0], `${day} | Dining | Coffee | ${amount}`] as const;

  it("is right in effect when its entry says what the user says, under whatever title", () => {
    expect(edits(add("e3", rent), update("e1", coffee, now("4.00")))).toEqual(good);
    expect(edits(add("e3", rent), look(coffee[0], "e1"), update("e1", coffee, now("4.50-0.50")))).toEqual(good);
    expect(edits(add("e3", rent), update("e1", coffee, [`${coffee[0]} 4.00`, now("4.00")[1]]))).toEqual(good);
    expect(edits(add("e3", rent), remove("e1", coffee), add("e4", now("4.00")))).toEqual(good);
    expect(refunds(add("e3", rent), remove("e1", coffee))).toEqual(good);
  });

  it("that is passed over is not attempted", () => {
    expect(edits(add("e3", rent))).toEqual({
      ...good,
      editAttempted: "0 of 1",
      editRightEntry: undefined,
      editRight: "0 of 1",
    });
  });

  it("is attempted also by a call that misses, or that meets another entry", () => {
    const missed = { ...good, editRightEntry: "0 of 1", editRight: "0 of 1" };
    expect(edits(add("e3", rent), miss("memory_update", "2024-02-27 Coffee"))).toEqual(missed);
    expect(edits(add("e3", rent), look(`${day} Snacks`, null))).toEqual(missed);
    expect(edits(add("e3", rent), update("e2", taxi, [taxi[0], `${day} | Transportation | Taxi | 4.00`]))).toEqual(
      missed,
    );
    expect(refunds(add("e3", rent), remove("e2", taxi))).toEqual(missed);
  });

  it("is on the right entry, and yet wrong in effect, with another amount or another line harmed", () => {
    const half = { ...good, editRight: "0 of 1" };
    expect(edits(add("e3", rent), update("e1", coffee, now("40.00")))).toEqual(half);
    expect(refunds(add("e3", rent), update("e1", coffee, now("0.00")))).toEqual(half);
    const page = [day, `${coffee[1]}\n${taxi[1]}`] as const;
    const paged = (content: string) =>
      pick(
        counted(
          [kept(0, [add("e1", page)]), kept(1, [add("e3", rent), update("e1", page, [day, content])])],
          truth(first, edit),
        ),
      );
    expect(paged(`${now("4.00")[1]}\n${taxi[1]}`)).toEqual(good);
    expect(paged(now("4.00")[1])).toEqual(half);
  });

  it("of a transaction that was never written can be attempted, and nothing more", () => {
    const sessions = [kept(0, [add("e2", taxi)]), kept(1, [add("e3", rent), miss("memory_update", coffee[0])])];
    expect(pick(counted(sessions, truth(first, edit)))).toMatchObject({
      editAttempted: "1 of 1",
      editRightEntry: undefined,
      editRight: undefined,
    });
  });

  it("is no look at the session's own entries, and no update of them", () => {
    const wrong = [rent[0], `${later} | Utilities | Rent | 9.00`] as const;
    expect(edits(add("e3", wrong), update("e3", wrong, rent), look(rent[0], "e3"))).toMatchObject({
      editAttempted: "0 of 1",
    });
  });

  it("that nobody asked for invents something", () => {
    const quiet = { recorded: edit.recorded, changes: [] };
    const sessions = [before, kept(1, [add("e3", rent), update("e1", coffee, now("4.00"))])];
    expect(pick(counted(sessions, truth(first, quiet)))).toEqual({
      ...{ editAttempted: undefined, editRightEntry: undefined, editRight: undefined },
      ...{ inventedEntry: "1 of 4", droppedTransaction: "0 of 2" },
    });
  });

  it("goes to the change it is most like when a session has two", () => {
    const both = {
      recorded: edit.recorded,
      changes: [changed(day, "Coffee", 450, 400), changed(day, "Taxi", 1200, null)],
    };
    const sessions = [before, kept(1, [add("e3", rent), remove("e2", taxi)])];
    expect(pick(counted(sessions, truth(first, both)))).toMatchObject({
      editAttempted: "1 of 2",
      editRightEntry: "1 of 1",
      editRight: "1 of 2",
    });
  });
});
