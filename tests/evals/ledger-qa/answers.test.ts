import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { formatCents, formatUnits, toUnits } from "../../../evals/benchmarks/ledger-qa/money.ts";
import {
  answerQuery,
  countLedger,
  type Query,
  type QuestionType,
} from "../../../evals/benchmarks/ledger-qa/questions.ts";

interface GoldenCase {
  readonly transactions: readonly { date: string; scene: string; subscene: string; amount: number }[];
  readonly questions: readonly { type: QuestionType; scenes: string[]; dates: string[]; answer: string }[];
}
const golden = JSON.parse(
  readFileSync(new URL("../../golden/ledger_vectors.json", import.meta.url), "utf8"),
) as readonly GoldenCase[];

const spending = (date: string, scene: string, amount: string, subscene = "x") => ({ date, scene, subscene, amount });
const query = (type: QuestionType, rest: Partial<Query> = {}): Query => ({ type, scenes: [], dates: [], ...rest });

describe("answers", () => {
  it.each(golden.map((one, index) => [index + 1, one] as const))(
    "reproduce golden ledger %i",
    (_, { transactions, questions }) => {
      const ledger = countLedger(transactions.map((one) => ({ ...one, amount: String(one.amount) })));
      expect(questions.length).toBeGreaterThanOrEqual(20);
      for (const { answer, ...asked } of questions)
        expect({ ...asked, answer: answerQuery(ledger, asked) }).toEqual({ ...asked, answer });
    },
  );

  it("0.10 + 0.20 ties with 0.30, and ties come sorted", () => {
    const ledger = countLedger([
      spending("2024-01-02", "Shopping", "0.30"),
      spending("2024-01-01", "Dining", "0.10"),
      spending("2024-01-01", "Dining", "0.20"),
    ]);
    expect(answerQuery(ledger, query("max_scene"))).toBe("Dining, Shopping");
  });

  it("ranges include both ends and nothing outside", () => {
    const ledger = countLedger(
      ["2024-01-01", "2024-01-02", "2024-01-03", "2024-01-04"].map((date, i) =>
        spending(date, "Dining", String(10 ** i)),
      ),
    );
    const dates = ["2024-01-02", "2024-01-03"];
    expect(answerQuery(ledger, query("time_range_total_amount", { dates }))).toBe("110.00");
    expect(answerQuery(ledger, query("max_single_amount", { dates }))).toBe("100.00");
  });

  it("max_frequency_date counts transactions, not money", () => {
    const ledger = countLedger([
      spending("2024-01-01", "Dining", "900"),
      spending("2024-01-02", "Dining", "1"),
      spending("2024-01-02", "Dining", "2"),
      spending("2024-01-03", "Other", "5"),
      spending("2024-01-03", "Other", "5"),
      spending("2024-01-03", "Other", "5"),
    ]);
    expect(answerQuery(ledger, query("max_frequency_date", { scenes: ["Dining"] }))).toBe("2024-01-02");
  });

  it("a sum over nothing is 0.00, a maximum over nothing is an error", () => {
    const ledger = countLedger([spending("2024-01-01", "Dining", "1")]);
    expect(answerQuery(ledger, query("single_date_scene_amount", { scenes: ["Pet"], dates: ["2024-01-01"] }))).toBe(
      "0.00",
    );
    expect(() => answerQuery(ledger, query("max_frequency_date", { scenes: ["Other"] }))).toThrow(
      /no transaction matches/,
    );
  });

  it("a sub-scene is told from its scene", () => {
    const ledger = countLedger([
      spending("2024-01-01", "Dining", "4.5", "Coffee"),
      spending("2024-01-01", "Dining", "20", "Takeout"),
    ]);
    const asked = query("single_date_subscene_amount", {
      scenes: ["Dining"],
      subscene: "Coffee",
      dates: ["2024-01-01"],
    });
    expect(answerQuery(ledger, asked)).toBe("4.50");
  });
});

describe("money", () => {
  it("rounds half to even at two decimals, exactly", () => {
    const rounded = (amount: string) => formatUnits(toUnits(amount, 4), 4);
    expect(["1.005", "1.015", "1.0251", "0.9949", "0.995", "999.995"].map(rounded)).toEqual([
      "1.00",
      "1.02",
      "1.03",
      "0.99",
      "1.00",
      "1000.00",
    ]);
  });

  it("sums many cents without drift", () => {
    const ledger = countLedger(Array.from({ length: 200_000 }, () => spending("2024-01-01", "Dining", "0.01")));
    expect(answerQuery(ledger, query("total_amount"))).toBe("2000.00");
    expect(formatCents(5)).toBe("0.05");
  });

  it.each(["1e5", "-3", "12,50", "", " 1", "NaN", "1."])(
    "refuses %j as an amount and says what it expects",
    (amount) => {
      expect(() => countLedger([spending("2024-01-01", "Dining", amount)])).toThrow(/expected an amount such as 12.50/);
    },
  );
});
