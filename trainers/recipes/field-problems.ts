/** What is wrong with a recipe that its schema refused, with the name that was meant where a field is misspelled. */
import { z } from "zod";
import { closest } from "../../base/closest.ts";
import { problemSentence, valueProblems } from "../../base/issue-sentence.ts";

type Issue = z.core.$ZodIssue;

/** As much of a JSON schema as tells names and choices. */
interface Shape {
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly items?: Shape;
  readonly anyOf?: readonly Shape[];
  readonly oneOf?: readonly Shape[];
  readonly const?: unknown;
}

/** One sentence, or several parted by semicolons. `at`: where the value stands in the recipe. */
export function fieldProblems(
  error: z.ZodError,
  schema: z.ZodType,
  value: unknown,
  at: readonly (string | number)[] = [],
): string {
  const shape = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as Shape;
  const issues = error.issues.flatMap(withinUnions);
  const sentences = issues.flatMap((issue) => {
    if (issue.code === "unrecognized_keys")
      return issue.keys.map((key) => unknownField(key, [...at, ...issue.path], shapesAt([shape], issue.path)));
    const choices = isUnknownChoice(issue)
      ? shapesAt([shape], issue.path).flatMap((found) => (found.const === undefined ? [] : [String(found.const)]))
      : [];
    const [problem] = valueProblems(new z.ZodError([issue]), value);
    const expected = choices.length > 0 ? `one of ${choices.join(", ")}` : problem!.expected;
    return [problemSentence([{ ...problem!, expected, field: named([...at, ...issue.path]) }])];
  });
  return sentences.join("; ");
}

/** Where a value has the kind of one branch, what that branch says is nearer than that no branch takes it. */
function withinUnions(issue: Issue): Issue[] {
  if (issue.code !== "invalid_union" || issue.errors.length === 0) return [issue];
  const near = issue.errors.filter((branch) => branch.some(({ path }) => path.length > 0));
  if (near.length !== 1) return [issue];
  return near[0]!.flatMap((inner) => withinUnions({ ...inner, path: [...issue.path, ...inner.path] }));
}

const isUnknownChoice = (issue: Issue) => issue.code === "invalid_union" && issue.errors.length === 0;

function unknownField(key: string, path: readonly PropertyKey[], shapes: readonly Shape[]): string {
  const known = [...new Set(shapes.flatMap(({ properties }) => Object.keys(properties ?? {})))];
  const meant = closest(key, known);
  const help = meant ? `did you mean ${named([...path, meant])}?` : `fields: ${known.join(", ")}`;
  return `there is no field ${named([...path, key])}${known.length > 0 ? ` (${help})` : ""}`;
}

/** All that may stand at a path, branches of unions taken apart. */
function shapesAt(shapes: readonly Shape[], path: readonly PropertyKey[]): Shape[] {
  const branches = shapes.flatMap((shape): Shape[] => [
    shape,
    ...shapesAt([...(shape.anyOf ?? []), ...(shape.oneOf ?? [])], []),
  ]);
  const [first, ...rest] = path;
  if (first === undefined) return branches;
  const inner = branches.flatMap(({ properties, items }) => {
    const found = typeof first === "number" ? items : properties?.[String(first)];
    return found ? [found] : [];
  });
  return inner.length === 0 ? [] : shapesAt(inner, rest);
}

const named = (path: readonly PropertyKey[]) => path.map(String).join(".");
