import { expect, it } from "vitest";
import { withoutBoxes } from "../../cli/without-boxes.ts";

it.each([
  ["\\boxed{14 June}", "14 June"],
  ["It leaves soon.\n\\boxed{\\text{14 June}}\nSources: chunk 3", "It leaves soon.\n14 June\nSources: chunk 3"],
  ["\\boxed{a} or \\fbox {b {c}}", "a or b {c}"],
  ["\\boxed{5\\% of \\boxed{9}}", "5% of \\boxed{9}"],
  ["no box, {braces} and \\text", "no box, {braces} and \\text"],
  ["cut: \\boxed{14 Ju", "cut: \\boxed{14 Ju"],
  ["\\boxed{}", ""],
  ["", ""],
])("an answer is shown without its boxes, with what they hold: %j", (answer, shown) =>
  expect(withoutBoxes(answer)).toBe(shown),
);
