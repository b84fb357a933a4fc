import { expect, test } from "vitest";
import { z } from "zod";
import { problemSentence, valueProblems } from "../../base/issue-sentence.ts";

const schema = z.strictObject({
  n: z.number().int().min(1).max(9).optional(),
  x: z.number().gt(0).optional(),
  kind: z.enum(["a", "b"]).optional(),
  name: z.string().min(1).optional(),
  names: z.union([z.string(), z.array(z.string()).min(1)]).optional(),
  seeds: z.array(z.int()).min(1).optional(),
  deep: z.array(z.object({ url: z.url().optional(), model: z.string() })).optional(),
  yes: z.boolean().optional(),
});

test.each([
  [{ n: "three" }, 'n: expected a number, got "three"'],
  [{ n: 1.5 }, "n: expected a whole number, got 1.5"],
  [{ n: 0 }, "n: expected at least 1, got 0"],
  [{ n: 10 }, "n: expected at most 9, got 10"],
  [{ x: 0 }, "x: expected more than 0, got 0"],
  [{ kind: "c" }, 'kind: expected one of a, b, got "c"'],
  [{ name: "" }, 'name: expected a text that is not empty, got ""'],
  [{ names: 3 }, "names: expected a text or a list, got 3"],
  [{ seeds: [] }, "seeds: expected at least 1 item, got []"],
  [{ seeds: [1, "2"] }, 'seeds.1: expected a number, got "2"'],
  [{ deep: [{}] }, "deep.0.model: expected a text, got nothing"],
  [{ deep: [{ model: "m", url: "localhost" }] }, 'deep.0.url: expected a URL, got "localhost"'],
  [{ yes: "no" }, 'yes: expected true or false, got "no"'],
  [{ policie: ["x"] }, 'expected no other fields, got "policie"'],
  [null, "expected an object, got null"],
  [{ name: 1, n: 0 }, "n: expected at least 1, got 0; name: expected a text, got 1"],
])("%j: %s", (value, sentence) => {
  const parsed = schema.safeParse(value);
  expect(problemSentence(valueProblems(parsed.error!, value))).toBe(sentence);
});

test("a long value is cut short", () => {
  const parsed = z.number().safeParse("x".repeat(500));
  expect(problemSentence(valueProblems(parsed.error!, "x".repeat(500)))).toMatch(/^expected a number, got "x{78}…$/);
});
