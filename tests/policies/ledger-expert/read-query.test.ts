import { describe, expect, it } from "vitest";
import { readQuery } from "../../../policies/ledger-expert/read-query.ts";

const march = { from: "2024-03-01", to: "2024-03-31" };

describe("questions", () => {
  it.each([
    ["Dining spending between 2024-03-01 and 2024-03-31?", { asks: "sum", scenes: ["Dining"], range: march }],
    [
      "What did Medical, Other and Education cost from 2024-03-01 to 2024-03-31?",
      { asks: "sum", scenes: ["Medical", "Other", "Education"], range: march },
    ],
    ["All I paid, 2024-03-31 back to 2024-03-01?", { asks: "sum", scenes: [], range: march }],
    ["What is the total spending across all records?", { asks: "sum", scenes: [], range: null }],
    [
      "Which main consumption scene category (such as Dining, Shopping) had the highest spending from 2024-03-01 to 2024-03-31?",
      { asks: "top scene", scenes: [], range: march },
    ],
    [
      "On which date were there the most Shopping transactions?",
      { asks: "busiest date", scenes: ["Shopping"], range: null },
    ],
    [
      "What was the largest single transaction amount from 2024-03-01 to 2024-03-31?",
      { asks: "largest", range: march },
    ],
    ["How much was spent on shopping on 2024-03-01?", { asks: "sum", scenes: ["Shopping"], subscene: null }],
    ["How much was Dining - Coffee on 2024-03-01?", { asks: "sum", scenes: ["Dining"], subscene: "Coffee" }],
    ["How much did I spend on coffee on 2024-03-01?", { asks: "sum", scenes: ["Dining"], subscene: "Coffee" }],
    ["How much was Education - Books & Materials on 2024-03-01?", { subscene: "Books & Materials" }],
    ["How much have I spent since 2024-03-01?", { range: { from: "2024-03-01", to: "9999-12-31" } }],
    ["What did I spend up to 2024-03-31?", { range: { from: "0000-01-01", to: "2024-03-31" } }],
  ])("%j", (question, expected) => {
    expect(readQuery(question)).toMatchObject(expected);
  });

  it.each([
    "",
    "Who is my sister?",
    "What is the capital of France?",
    "How many coffees did I have?",
    "What is my average spending?",
    "What was the cheapest expense between 2024-03-01 and 2024-03-31?",
    "How much did I spend in March 2024?",
    "How much did I spend last month?",
    "On which date did I have the most transactions?",
    "How much did I spend on 2024-02-30?",
    "Compare my spending on 2024-03-01, 2024-03-02 and 2024-03-03.",
  ])("does not guess at %j", (question) => {
    expect(readQuery(question)).toBeNull();
  });
});
