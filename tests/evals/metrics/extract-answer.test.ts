import { describe, expect, test } from "vitest";
import { extractAnswer } from "../../../evals/metrics/extract-answer.ts";

describe("App. K: the final answer is the content of the last box", () => {
  test.each([
    ["The answer is \\boxed{42}", "42"],
    ["\\boxed{a} then \\boxed{b}", "b"],
    ["x \\boxed{a{b}c} y", "a{b}c"],
    ["\\fbox{framed}", "framed"],
    ["\\box{legacy}", "legacy"],
    ["\\boxed {42}", "42"],
    ["\\boxed 42", "42"],
    ["\\boxed 42$ trailing", "42"],
    ["\\boxed 42\nand more", "42"],
    ["\\boxed 41 and \\boxed{42}", "41 and \\boxed{42}"],
    ["\\boxed{x} and \\boxed y", "y"],
    ["\\boxed{\\text{Dining, Shopping}}", "Dining, Shopping"],
    ["\\boxed{\\text{a} and \\text{b}}", "a and b"],
    ["\\boxed{\\textbf{\\text{a}}}", "a"],
    ["\\\\boxed{{42}}", "42"],
    ["\\boxed{{a} or {b}}", "{a} or {b}"],
    ["\\boxed{\\$120.50}", "$120.50"],
    ["\\boxed{50\\%}", "50%"],
    ["\\boxed{\\frac{1}{2}}", "\\frac{1}{2}"],
    ["\\boxed{\\{1, 2\\}}", "{1, 2}"],
    ["\\boxed{}", ""],
    ["\\boxed{  }", ""],
    ["\\boxed{a \\boxed{b} c}", "a \\boxed{b} c"],
    ["first \\boxed{42}, then cut off \\boxed{4", "42"],
    ["\\boxedness is no command", "\\boxedness is no command"],
    ["  no box at all \n", "no box at all"],
    ["", ""],
  ])("%j holds %j", (reply, answer) => {
    expect(extractAnswer(reply)).toBe(answer);
  });

  test("a box that never closes was cut off and is no answer", () => {
    expect(extractAnswer("\\boxed{unclosed")).toBe("\\boxed{unclosed");
    expect(extractAnswer("\\boxed{")).toBe("\\boxed{");
  });

  test("without a box the answer is the last 2,000 characters, cut between characters", () => {
    expect(extractAnswer("x".repeat(3_000))).toHaveLength(2_000);
    expect(extractAnswer(`a${"🦔".repeat(2_500)}`)).toBe("🦔".repeat(2_000));
  });

  test("a box that stands far before the end is still the answer", () => {
    expect(extractAnswer(`\\boxed{42}${" and so on".repeat(1_000)}`)).toBe("42");
  });
});
