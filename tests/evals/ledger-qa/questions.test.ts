import { describe, expect, it } from "vitest";
import { maxEvidence } from "../../../evals/benchmarks/ledger-qa/chunk.ts";
import { ledgerQaConfig } from "../../../evals/benchmarks/ledger-qa/config.ts";
import { generateContext } from "../../../evals/benchmarks/ledger-qa/context.ts";
import { listNote } from "../../../evals/benchmarks/ledger-qa/forms/ask.ts";
import { standing } from "../../../evals/benchmarks/ledger-qa/ledger.ts";
import { toLedgerLine } from "../../../evals/benchmarks/ledger-qa/ledger-lines.ts";
import { answerQuery, concerns, countLedger, questionTypes } from "../../../evals/benchmarks/ledger-qa/questions.ts";
import { readLedger } from "./form-reader.ts";

const context = (options: object = {}, index = 0, horizon = 20) =>
  generateContext(horizon, index, ledgerQaConfig.parse(options));
const several = (options: object, horizon = 20) => [0, 1, 2, 3, 4, 5].map((index) => context(options, index, horizon));

describe.each(["micro", "full"] as const)("questions of the %s profile", (profile) => {
  it("come in eight types, at most 36, no query twice, and the point query only when asked for", () => {
    for (const { questions } of several({ profile })) {
      expect(questions.length).toBeLessThanOrEqual(36);
      expect(new Set(questions.map(({ query }) => query.type))).toEqual(new Set(questionTypes.slice(0, 8)));
      const keys = questions.map(({ query: { type, scenes, dates } }) =>
        JSON.stringify([type, [...scenes].sort(), dates]),
      );
      expect(new Set(keys).size).toBe(keys.length);
    }
    const point = context({ profile, pointQueries: true }).questions.filter(
      ({ query }) => query.subscene !== undefined,
    );
    expect(point.length).toBeGreaterThan(0);
    for (const { text, query } of point) expect(text).toContain(`- ${query.subscene}`);
  });

  it("have range ends on dates with transactions, and say every date and scene they are about", () => {
    for (const made of several({ profile })) {
      const dates = new Set(standing(made.ledger).map(({ date }) => date));
      for (const { query, text } of made.questions) {
        for (const date of query.dates) {
          expect(dates.has(date)).toBe(true);
          expect(text).toContain(date);
        }
        for (const scene of query.scenes) expect(text).toContain(scene);
        expect([...query.dates].sort()).toEqual(query.dates);
      }
    }
  });

  it("lose when the date range is left out: most range answers differ from the answer over all dates", () => {
    let ranges = 0;
    let differ = 0;
    for (const made of several({ profile })) {
      const ledger = countLedger(standing(made.ledger));
      for (const { query, answer } of made.questions) {
        if (query.dates.length === 0) continue;
        ranges++;
        if (answerQuery(ledger, { ...query, dates: [] }) !== answer) differ++;
      }
    }
    expect(ranges).toBeGreaterThan(100);
    expect(differ / ranges).toBeGreaterThan(0.8);
  });

  it("include zero sums, ties and lists, and say so when the answer may be a list", () => {
    const asked = several({ profile, perType: 12 }).flatMap(({ questions }) => questions);
    expect(asked.filter(({ answer }) => answer === "0.00").length).toBeGreaterThan(0);
    expect(asked.filter(({ answer }) => answer.includes(", ")).length).toBeGreaterThan(0);
    for (const { answer, text, query } of asked) {
      const mayList = query.type === "max_scene" || query.type === "max_frequency_date";
      expect(text.endsWith(listNote)).toBe(mayList);
      if (!mayList) expect(answer).toMatch(/^\d+\.\d\d$/);
      expect(answer.split(", ").length).toBeLessThanOrEqual(8);
    }
  });

  it("can do without ties", () => {
    for (const { questions } of several({ profile, maxTies: 1 }))
      expect(questions.filter(({ answer }) => answer.includes(","))).toEqual([]);
  });

  it("a limit keeps ids, order and answers, and spreads over the types", () => {
    const all = context({ profile }).questions;
    const six = context({ profile, questions: 6 }).questions;
    const twelve = context({ profile, questions: 12 }).questions;
    expect([six.length, twelve.length]).toEqual([6, 12]);
    expect(new Set(six.map(({ query }) => query.type)).size).toBe(6);
    expect(twelve).toEqual(expect.arrayContaining([...six]));
    expect(all.filter(({ id }) => twelve.some((one) => one.id === id))).toEqual(twelve);
  });
});

describe("evidence", () => {
  it.each(["micro", "full"] as const)(
    "is the user lines that state or change what the question is about (%s)",
    (profile) => {
      for (const made of several({ profile }, 10)) {
        const line = toLedgerLine(made);
        for (const [index, { evidence = [] }] of line.questions.entries()) {
          const { query } = made.questions[index]!;
          const expected = made.ledger
            .filter((one) => concerns(query, one))
            .flatMap(({ history }) =>
              history.flatMap(({ session, lines }) => lines.map((at) => `S${session + 1}:L${at + 1}`)),
            );
          const ids = new Set(expected);
          expect(new Set(evidence.map(({ id }) => id))).toEqual(ids.size > maxEvidence ? new Set() : ids);
          for (const { id, chunk, start, end } of evidence) {
            const [, session, at] = /^S(\d+):L(\d+)$/.exec(id)!.map(Number);
            expect(chunk).toBe(session! - 1);
            expect(line.chunks[chunk]!.slice(start, end)).toBe(line.chunks[chunk]!.split("\n")[at! - 1]);
          }
        }
      }
    },
  );

  it("suffices: the evidence lines alone give the answer", () => {
    let checked = 0;
    for (const made of several({ profile: "micro" }, 8)) {
      const line = toLedgerLine(made);
      for (const [index, { evidence, answer }] of line.questions.entries()) {
        if (!evidence) continue;
        const kept = line.chunks.map((chunk, at) =>
          evidence
            .filter(({ chunk: where }) => where === at)
            .map(({ start, end }) => chunk.slice(start, end))
            .join("\n"),
        );
        const read = readLedger(kept.filter((chunk) => chunk !== ""));
        expect(answerQuery(countLedger(read), made.questions[index]!.query)).toBe(answer);
        checked++;
      }
    }
    expect(checked).toBeGreaterThan(80);
  });

  it("is absent where it would be long or there is nothing to point at", () => {
    const line = toLedgerLine(context({}, 0, 60));
    expect(line.questions.find(({ query }) => query.type === "total_amount")!.evidence).toBeUndefined();
    for (const { answer, evidence } of line.questions)
      if (evidence) expect([answer, evidence.length]).not.toEqual([answer, 0]);
  });
});
