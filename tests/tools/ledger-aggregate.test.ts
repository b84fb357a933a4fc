import { Decimal } from "decimal.js";
import { describe, expect, it } from "vitest";
import { rng } from "../../base/rng.ts";
import type { Bank } from "../../memory/bank.ts";
import { executeCalls } from "../../tools/execute-calls.ts";
import { toolsets } from "../../tools/toolsets.ts";
import { bankOf, callOf, options, worldOf } from "../support/worlds.ts";

const ask = async (bank: Bank, args: Record<string, unknown>, maxObservation = 100_000) => {
  const { results } = await executeCalls(
    worldOf(bank),
    [callOf("ledger_aggregate", args)],
    options({ phase: "qa", toolset: toolsets.ledger, maxObservation }),
  );
  return results[0]!;
};
const value = async (bank: Bank, args: Record<string, unknown>) => JSON.parse((await ask(bank, args)).observation);

const books = bankOf({
  "2024-01-01": "2024-01-01 | Dining | Lunch | 12.50 | with Ann\n2024-01-01 | Transportation | Bus | 2.00",
  "2024-01-02": "2024-01-02 | Dining | Dinner | 30.00\nnot a record\n2024-01-02 | Dining | Refund | -5.25 | cold soup",
  "2024-02-01": "2024-02-01 | Shopping | Books | 19.99",
});

describe("ledger_aggregate: decimal-exact queries over dated amounts", () => {
  it("0.1 + 0.2 is 0.30, and an amount keeps every decimal it has", async () => {
    const bank = bankOf({ a: "2024-01-01 | A | a | 0.1\n2024-01-01 | A | a | 0.2" });
    expect(await value(bank, { operation: "sum" })).toEqual({ value: "0.30", lines: 2 });
    const fine = bankOf({ a: "2024-01-01 | A | a | 0.12345678\n2024-01-01 | A | a | 999999999999999999.1" });
    expect((await value(fine, { operation: "sum" })).value).toBe("999999999999999999.22345678");
  });

  it("sum, count, max and min over everything; amounts may be negative", async () => {
    expect(await value(books, { operation: "sum" })).toEqual({ value: "59.24", lines: 5 });
    expect(await value(books, { operation: "count" })).toEqual({ value: "5", lines: 5 });
    expect(await value(books, { operation: "max" })).toEqual({ value: "30.00", lines: 5 });
    expect(await value(books, { operation: "min" })).toEqual({ value: "-5.25", lines: 5 });
  });

  it("an amount that is worked out in its line is one amount: what came back is taken off, in sums and maxima alike", async () => {
    const bank = bankOf({
      a: "2024-01-01 | Shopping | Clothing | 54.00-4.50-10.00 | jacket",
      b: "2024-01-01 | Shopping | Books | 41.25 - 2 + 0.50\n2024-01-02 | Dining | Coffee | 4.50-",
    });
    expect(await value(bank, { operation: "sum" })).toEqual({ value: "79.25", lines: 2, unreadable_lines: 1 });
    expect((await value(bank, { operation: "max" })).value).toBe("39.75");
    expect((await value(bank, { operation: "min" })).value).toBe("39.50");
    expect((await value(bank, { operation: "count" })).value).toBe("2");
  });

  it("dates take both ends in; scenes and sub-scenes are compared without case", async () => {
    expect((await value(books, { operation: "sum", from: "2024-01-02", to: "2024-01-02" })).value).toBe("24.75");
    expect((await value(books, { operation: "sum", to: "2024-01-01" })).value).toBe("14.50");
    expect((await value(books, { operation: "sum", from: "2024-02-01" })).value).toBe("19.99");
    expect((await value(books, { operation: "sum", scenes: ["dining", " TRANSPORTATION "] })).value).toBe("39.25");
    expect((await value(books, { operation: "sum", sub_scene: "LUNCH" })).value).toBe("12.50");
  });

  it("nothing has the sum 0.00 and the count 0, but no largest and no smallest", async () => {
    const nothing = { scenes: ["Medical"] };
    expect(await value(books, { operation: "sum", ...nothing })).toEqual({ value: "0.00", lines: 0 });
    expect(await value(books, { operation: "count", ...nothing })).toEqual({ value: "0", lines: 0 });
    expect(await value(books, { operation: "max", ...nothing })).toEqual({ value: null, lines: 0 });
    expect(await value(books, { operation: "min", group_by: "scene", ...nothing })).toEqual({ groups: [], lines: 0 });
  });

  it("groups come largest first, ties in the order of their names", async () => {
    expect(await value(books, { operation: "sum", group_by: "scene" })).toEqual({
      groups: [
        { key: "Dining", value: "37.25", lines: 3 },
        { key: "Shopping", value: "19.99", lines: 1 },
        { key: "Transportation", value: "2.00", lines: 1 },
      ],
      lines: 5,
    });
    const tied = bankOf({
      a: "2024-01-02 | B | x | 10.00\n2024-01-01 | A | x | 10\n2024-01-01 | C | x | 9.5\n2024-01-01 | C | y | 0.50",
    });
    const keys = async (group_by: string) =>
      (await value(tied, { operation: "sum", group_by })).groups.map((group: { key: string }) => group.key);
    expect(await keys("scene")).toEqual(["A", "B", "C"]);
    expect(await keys("date")).toEqual(["2024-01-01", "2024-01-02"]);
    expect(await keys("sub_scene")).toEqual(["A / x", "B / x", "C / x", "C / y"]);
  });

  it("lines that begin like a record but cannot be read are counted, not guessed", async () => {
    const bank = bankOf({
      a: "2024-01-01 | A | a | 1.00\n2024-01-01 | A | a | about 5\n2024-01-01 | A | a | 1,234.50\n2024-01-01 | A\nJan 1 | A | a | 7",
    });
    expect(await value(bank, { operation: "sum" })).toEqual({ value: "1.00", lines: 1, unreadable_lines: 3 });
    expect((await value(bank, { operation: "sum", group_by: "date" })).unreadable_lines).toBe(3);
  });

  it("ten thousand lines are summed exactly, each entry read once", async () => {
    const random = rng(7, "amounts");
    let expected = new Decimal(0);
    const entries = Array.from({ length: 1_000 }, (_, i) => {
      const lines = Array.from({ length: 10 }, () => {
        const amount = (random.int(1, 99_999) / 100).toFixed(2);
        expected = expected.plus(amount);
        return `2024-01-01 | Dining | Lunch | ${amount} | note`;
      });
      return [`day ${i}`, lines.join("\n")] as const;
    });
    const bank = bankOf(entries);
    const done = await ask(bank, { operation: "sum" });
    expect(JSON.parse(done.observation)).toEqual({ value: expected.toFixed(2), lines: 10_000 });
    expect(done.reads).toHaveLength(1_000);
    expect(done.reads[999]).toEqual({ kind: "entry", id: "e1000", rank: 1_000, score: null });
    expect((await value(bank, { operation: "max" })).lines).toBe(10_000);
  });

  it("more lines than a call takes arguments have a largest and a smallest", async () => {
    const many = Array.from({ length: 200_000 }, (_, i) => `2024-01-01 | A | a | ${i}.00`).join("\n");
    const bank = bankOf({ many });
    expect((await value(bank, { operation: "max" })).value).toBe("199999.00");
    expect((await value(bank, { operation: "min" })).value).toBe("0.00");
  });

  it("many groups are cut at whole groups; the reads are those of all that was summed", async () => {
    const bank = bankOf(
      Array.from({ length: 300 }, (_, i) => [`e${i}`, `2024-01-01 | Scene ${i} | a | ${i + 1}.00`] as const),
    );
    const done = await ask(bank, { operation: "sum", group_by: "scene" }, 1_000);
    const shown = JSON.parse(done.observation);
    expect(shown.groups[0]).toEqual({ key: "Scene 299", value: "300.00", lines: 1 });
    expect(shown.groups.length + shown.left_out).toBe(300);
    expect(done.observation.length).toBeLessThanOrEqual(1_000);
    expect(done.reads).toHaveLength(300);
  });

  it("a date that is not one is refused with what is expected", async () => {
    const done = await ask(books, { operation: "sum", from: "1 January" });
    expect(done.verdict).toBe("invalid");
    expect(done.observation).toContain("expected a date like 2024-02-23");
  });

  it("a day that there is not makes a line unreadable and an argument invalid", async () => {
    const days = "2024-02-29 2023-02-29 2024-02-30 2024-04-31 2024-13-01 2024-00-10 2024-01-00 2024-12-31".split(" ");
    const bank = bankOf({ a: days.map((day) => `${day} | A | a | 1.00`).join("\n") });
    expect(await value(bank, { operation: "sum" })).toEqual({ value: "2.00", lines: 2, unreadable_lines: 6 });
    for (const args of [{ from: "2024-13-45" }, { to: "2024-02-30" }, { from: "2023-02-29" }]) {
      const done = await ask(bank, { operation: "sum", ...args });
      expect(done.verdict).toBe("invalid");
      expect(done.observation).toContain("expected a date like 2024-02-23, of a day that there is");
    }
    expect((await value(bank, { operation: "sum", from: "2024-02-29", to: "2024-02-29" })).value).toBe("1.00");
  });
});
