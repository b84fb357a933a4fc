/** What is wrong with a recipe that its schema refused, with the name that was meant where a field is misspelled. */
import { z } from "zod";
import { closest } from "../../base/closest.ts";
import { problemSentence, valueProblems } from "../../base/issue-sentence.ts";

interface Shape {
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly items?: Shape;
  readonly anyOf?: readonly Shape[];
  readonly oneOf?: readonly Shape[];
}

/** One sentence, or several parted by semicolons. */
export function fieldProblems(error: z.ZodError, schema: z.ZodType, value: unknown): string {
  const shape = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as Shape;
  const unknown = error.issues.flatMap((issue) => {
    if (issue.code !== "unrecognized_keys") return [];
    const known = namesAt(shape, issue.path);
    return issue.keys.map((key) => {
      const field = [...issue.path, key].map(String).join(".");
      const meant = closest(key, known);
      return `there is no field ${field}${meant ? ` (did you mean ${[...issue.path, meant].map(String).join(".")}?)` : known.length > 0 ? ` (fields: ${known.join(", ")})` : ""}`;
    });
  });
  const others = error.issues.filter(({ code }) => code !== "unrecognized_keys");
  const sentence = problemSentence(valueProblems(new z.ZodError(others as z.core.$ZodIssue[]), value));
  return [...unknown, ...(sentence === "" ? [] : [sentence])].join("; ");
}

function namesAt(shape: Shape, path: readonly PropertyKey[]): string[] {
  const branches = [shape, ...(shape.anyOf ?? []), ...(shape.oneOf ?? [])];
  const [first, ...rest] = path;
  if (first === undefined) return [...new Set(branches.flatMap(({ properties }) => Object.keys(properties ?? {})))];
  return [
    ...new Set(
      branches.flatMap(({ properties, items }) => {
        const inner = typeof first === "number" ? items : properties?.[String(first)];
        return inner ? namesAt(inner, rest) : [];
      }),
    ),
  ];
}
