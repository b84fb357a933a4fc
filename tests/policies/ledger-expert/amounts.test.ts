import { describe, expect, it } from "vitest";
import { formatCents, parseCents, takeAmounts } from "../../../policies/ledger-expert/amounts.ts";
import { takeDates } from "../../../policies/ledger-expert/dates.ts";

const amountsIn = (text: string) => takeAmounts(text.toLowerCase(), "#").amounts;

describe("amounts", () => {
  it.each([
    ["it was 12.50.", [1250]],
    ["12", [1200]],
    ["$12", [1200]],
    ["12.5 it is", [1250]],
    ["$1,299.00 all told", [129900]],
    ["1,299 bucks", [129900]],
    ["7 dollars", [700]],
    ["twelve dollars", [1200]],
    ["one hundred and five dollars", [10500]],
    ["nine hundred ninety-nine dollars", [99900]],
    ["twelve fifty", [1250]],
    ["forty-two ninety-nine", [4299]],
    ["twenty fifteen", [2015]],
    ["4.50, not 5.40", [450, 540]],
    ["(8), (9.95), (10)", [800, 995, 1000]],
  ])("reads %j", (text, cents) => {
    expect(amountsIn(text)).toEqual(cents);
  });

  it.each([
    "one second",
    "the next one",
    "I read 40 pages and met 9 people",
    "3 buses",
    "two or three friends",
    "50% of it",
    "a 5k run",
    "version 1.2.3",
    "call 555-1234",
    "on 2024-13-45",
  ])("finds no money in %j", (text) => {
    expect(amountsIn(text)).toEqual([]);
  });

  it("does not take a word after an amount for the thing that is counted", () => {
    expect(amountsIn("12.50 is right, 3 was wrong, 4 this time")).toEqual([1250, 300, 400]);
  });

  it("prints and parses whole cents exactly", () => {
    expect(formatCents(5)).toBe("0.05");
    expect(formatCents(123456)).toBe("1234.56");
    expect(parseCents("12.5")).toBe(1250);
    expect(parseCents("0.05")).toBe(5);
    for (const text of ["", "1e3", "-2", "1.005", "12,00", " 3", "NaN"]) expect(parseCents(text)).toBeNull();
  });
});

describe("dates", () => {
  it("are read in both spellings, in order, and their digits are no amounts", () => {
    const { text, dates } = takeDates("on 2024-03-05 and march 15, 2024", "@");
    expect(dates).toEqual(["2024-03-05", "2024-03-15"]);
    expect(amountsIn(text)).toEqual([]);
  });

  it("are those that the calendar has", () => {
    for (const text of ["2024-02-30", "2024-00-10", "february 30, 2024", "2023-02-29"])
      expect(takeDates(text, "@"), text).toEqual({ text, dates: [] });
    expect(takeDates("2024-02-29", "@").dates).toEqual(["2024-02-29"]);
  });
});
