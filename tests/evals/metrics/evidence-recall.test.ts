import { expect, test } from "vitest";
import type { Evidence, Question } from "../../../evals/benchmark.ts";
import { evidenceRecall, type ReadSpan } from "../../../evals/metrics/evidence-recall.ts";

const asked = (...evidence: Evidence[]): Question => ({
  id: "q",
  text: "?",
  answer: "",
  position: 9,
  category: "c",
  evidence,
});
const span = (chunk: number, start: number, end: number): Evidence => ({ id: `${chunk}:${start}`, chunk, start, end });
const read = (chunk: number, start: number, end: number, rank = 1): ReadSpan => ({ chunk, start, end, rank });

test("recall is the share of the evidence that the first k passages hold", () => {
  const question = asked(span(0, 10, 20), span(3, 0, 50));
  const reads = [read(1, 0, 900), read(0, 0, 900, 2), read(3, 0, 900, 3)];
  expect([1, 2, 3, 20].map((k) => evidenceRecall(question, reads, k))).toEqual([0, 0.5, 1, 1]);
});

test("a question without evidence has no recall, one whose session read nothing has 0", () => {
  expect(evidenceRecall(asked(), [read(0, 0, 9)], 5)).toBeNull();
  expect(evidenceRecall({ id: "q", text: "?", answer: "", position: 0, category: "c" }, [], 5)).toBeNull();
  expect(evidenceRecall(asked(span(0, 0, 5)), [], 5)).toBe(0);
});

test("half of a span is enough, less is not, and two passages may hold it together", () => {
  const question = asked(span(0, 100, 200));
  expect(evidenceRecall(question, [read(0, 0, 150)], 5)).toBe(1);
  expect(evidenceRecall(question, [read(0, 0, 149)], 5)).toBe(0);
  expect(evidenceRecall(question, [read(0, 151, 900)], 5)).toBe(0);
  expect(evidenceRecall(question, [read(0, 180, 300), read(0, 100, 130)], 5)).toBe(1);
  expect(evidenceRecall(question, [read(0, 180, 300), read(0, 100, 130)], 1)).toBe(0);
});

test("what two passages share is covered once", () => {
  expect(evidenceRecall(asked(span(0, 0, 100)), [read(0, 0, 30), read(0, 10, 30), read(0, 5, 40)], 5)).toBe(0);
  expect(evidenceRecall(asked(span(0, 0, 100)), [read(0, 0, 50), read(0, 10, 20)], 5)).toBe(1);
});

test("the same offsets in another chunk are another place", () => {
  expect(evidenceRecall(asked(span(0, 0, 10)), [read(1, 0, 10)], 5)).toBe(0);
});

test("a passage that a later call returns again takes no second place", () => {
  const reads = [read(1, 0, 9, 1), read(2, 0, 9, 2), read(1, 0, 9, 1), read(2, 0, 9, 2), read(0, 0, 9, 3)];
  expect(evidenceRecall(asked(span(0, 0, 9)), reads, 3)).toBe(1);
  expect(evidenceRecall(asked(span(0, 0, 9)), reads, 2)).toBe(0);
});
