import { describe, expect, test } from "vitest";
import { decimalExact, parseAmount, scoreDecimalExact } from "../../../evals/metrics/decimal-exact.ts";

describe("a gold that is an amount is matched by the same amount to the cent", () => {
  test.each([
    "12.50",
    "12.5",
    "$12.50",
    "12.50 USD",
    "€12.50",
    "USD 12.5",
    "+12.50",
    "12.50 dollars",
    " **12.50** ",
    "12.50.",
    "12.500",
    "12.499999999999",
    "'12.50'",
  ])("%j is 12.50", (prediction) => {
    expect(scoreDecimalExact(prediction, "12.50")).toBe(1);
  });

  test.each([
    "",
    " ",
    "1250",
    "12,50",
    "12.51",
    "12.494",
    "-12.50",
    "12.50 and 13",
    "12.50, 13",
    "12.50, 12.50",
    "The total is 12.50",
    "12.50%",
    "1.25e1",
    "12.50 - 0",
    "12.5.0",
    "twelve fifty",
    "NaN",
    "--12.50",
    "12..50",
  ])("%j is not 12.50", (prediction) => {
    expect(scoreDecimalExact(prediction, "12.50")).toBe(0);
  });

  test("the sign is kept, wherever the currency stands", () => {
    for (const prediction of ["-5", "-$5.00", "$-5", "\u22125.00"]) expect(scoreDecimalExact(prediction, "-5")).toBe(1);
    expect(scoreDecimalExact("5", "-5")).toBe(0);
    expect(scoreDecimalExact("-$-5", "5")).toBe(0);
    expect(scoreDecimalExact("-0.00", "0.00")).toBe(1);
  });

  test("thousands are grouped by three or not at all", () => {
    for (const prediction of ["1,234.50", "1234.5", "$1,234.50", "1\u00a0234.50"])
      expect(scoreDecimalExact(prediction, "1234.50")).toBe(1);
    for (const prediction of ["12,34.50", "1,2345.0", "1.234,50"])
      expect(scoreDecimalExact(prediction, "1234.50")).toBe(0);
  });

  test("a gold with more decimals than cents asks for all of them", () => {
    expect(scoreDecimalExact("3.14159", "3.14159")).toBe(1);
    expect(scoreDecimalExact("3.14", "3.14159")).toBe(0);
  });

  test("amounts beyond double precision are still told apart", () => {
    expect(scoreDecimalExact("90071992547409930.01", "90071992547409930.02")).toBe(0);
    expect(scoreDecimalExact("90,071,992,547,409,930.02", "90071992547409930.02")).toBe(1);
  });
});

describe("any other gold is a list of items in any order", () => {
  test.each([
    ["dining", "Dining"],
    ["Shopping, Dining", "Dining, Shopping"],
    ["Dining,  shopping.", "Dining, Shopping"],
    ["Dining, Shopping, dining", "Dining, Shopping"],
    ["2024-02-06, 2024-01-05", "2024-01-05, 2024-02-06"],
    ["5.00, 7", "7.00, 5"],
    ["Food  and\nDrink", "food and drink"],
    ["", ""],
  ])("%j is %j", (prediction, gold) => {
    expect(scoreDecimalExact(prediction, gold)).toBe(1);
  });

  test.each([
    ["", "Dining"],
    ["Dining", "Dining, Shopping"],
    ["Dining, Shopping, Rent", "Dining, Shopping"],
    ["Dining and Shopping", "Dining, Shopping"],
    ["20240105", "2024-01-05"],
    ["2024-01-5", "2024-01-05"],
    ["January 5, 2024", "2024-01-05"],
    ["Dining", ""],
  ])("%j is not %j", (prediction, gold) => {
    expect(scoreDecimalExact(prediction, gold)).toBe(0);
  });
});

test("the answer is taken out of its box", () => {
  const question = { id: "q", text: "?", answer: "120.50", position: 0, category: "c" };
  expect(decimalExact.score("So it is \\boxed{\\$120.50}.", question)).toBe(1);
  expect(decimalExact.score("It was 1 and is \\boxed{\\text{120.5}}", question)).toBe(1);
  expect(parseAmount("¥1,000")?.toNumber()).toBe(1000);
});
