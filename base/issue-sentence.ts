/** What is wrong with a value that a schema refused, for people: the field, what was expected, what came. */
import type { z } from "zod";

export interface ValueProblem {
  /** "" for the value itself, else like "policies.0.model". */
  readonly field: string;
  readonly expected: string;
  /** As JSON, cut short; "nothing" when it was left out. */
  readonly got: string;
}

type Issue = z.core.$ZodIssue;

export function valueProblems(error: z.ZodError, value: unknown): ValueProblem[] {
  return error.issues.map((issue) => ({
    field: issue.path.map(String).join("."),
    expected: expectation(issue),
    got: issue.code === "unrecognized_keys" ? issue.keys.map((key) => `"${key}"`).join(", ") : shown(at(value, issue)),
  }));
}

/** "variants.0: expected a text, got 3; seeds: expected at least one item, got []" */
export const problemSentence = (problems: readonly ValueProblem[]): string =>
  problems.map(({ field, expected, got }) => `${field ? `${field}: ` : ""}expected ${expected}, got ${got}`).join("; ");

const names: Readonly<Record<string, string>> = {
  string: "a text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
};

function expectation(issue: Issue): string {
  switch (issue.code) {
    case "invalid_type":
      return names[issue.expected] ?? issue.expected;
    case "invalid_value":
      return `one of ${issue.values.map(String).join(", ")}`;
    case "too_small":
      return limit("at least", "more than", issue.minimum, issue);
    case "too_big":
      return limit("at most", "less than", issue.maximum, issue);
    case "unrecognized_keys":
      return "no other fields";
    case "invalid_union":
      return [...new Set(issue.errors.map((branch) => (branch[0] ? expectation(branch[0]) : "another value")))].join(
        " or ",
      );
    default:
      return issue.message.replace(/^(?:expected|Invalid(?: input:)?)\s+/i, "").replace(/^URL$/, "a URL");
  }
}

function limit(
  inclusive: string,
  exclusive: string,
  bound: number | bigint,
  issue: { origin: string; inclusive?: boolean | undefined },
): string {
  if (issue.origin === "string") return bound === 1 ? "a text that is not empty" : `${inclusive} ${bound} characters`;
  const amount = `${issue.inclusive === false ? exclusive : inclusive} ${bound}`;
  return issue.origin === "array" ? `${amount} item${bound === 1 ? "" : "s"}` : amount;
}

const at = (value: unknown, issue: Issue): unknown =>
  issue.path.reduce<unknown>((held, key) => (held as Record<PropertyKey, unknown> | null | undefined)?.[key], value);

function shown(value: unknown): string {
  if (value === undefined) return "nothing";
  const json = JSON.stringify(value) ?? String(value);
  return json.length <= 80 ? json : `${json.slice(0, 79)}…`;
}
