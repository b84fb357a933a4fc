/**
 * Arguments as a model wrote them, checked against a tool's schema; what is wrong becomes an observation.
 *
 * Two things are mended instead of refused: an optional argument given as null counts as left out, and a whole number
 * given as text is read as a number (which makes the call `repaired`).
 */
import { z } from "zod";
import type { Tool } from "./tool.ts";

export type ArgumentsReading = { readonly value: unknown; readonly repaired: boolean } | { readonly problem: string };

export function readArguments(tool: Tool, given: Readonly<Record<string, unknown>>): ArgumentsReading {
  const shape = shapeOf(tool);
  // fromEntries defines own properties, so an argument named __proto__ stays data
  const args = Object.fromEntries(
    Object.entries(given).filter(([name, value]) => value !== null || shape.required.has(name)),
  );
  const first = tool.schema.safeParse(args);
  if (first.success) return { value: first.data, repaired: false };

  for (const issue of first.error.issues) {
    const name = issue.path[0];
    if (typeof name !== "string" || issue.path.length > 1 || issue.code !== "invalid_type") continue;
    const value = args[name];
    const wantsNumber = issue.expected === "number" || issue.expected === "int";
    if (wantsNumber && typeof value === "string" && /^\s*\d{1,9}\s*$/.test(value)) args[name] = Number(value);
  }
  const second = tool.schema.safeParse(args);
  if (second.success) return { value: second.data, repaired: true };
  return { problem: `${tool.name} was not run. ${describe(first.error)} Expected: ${shape.signature}.` };
}

const describe = (error: z.ZodError) =>
  error.issues
    .slice(0, 3)
    .map((issue) => `${issue.path.join(".") || "arguments"}: ${issue.message}.`)
    .join(" ");

interface Shape {
  readonly required: ReadonlySet<string>;
  /** e.g. memory_list(filter?: string) */
  readonly signature: string;
}

const shapes = new WeakMap<Tool, Shape>();

function shapeOf(tool: Tool): Shape {
  const known = shapes.get(tool);
  if (known) return known;
  const schema = z.toJSONSchema(tool.schema, { io: "input" }) as {
    properties?: Record<string, { type?: string; enum?: string[]; items?: { type?: string } }>;
    required?: string[];
  };
  const required = new Set(schema.required);
  const fields = Object.entries(schema.properties ?? {}).map(([name, field]) => {
    const type = field.enum?.join(" | ") ?? (field.type === "array" ? `${field.items?.type}[]` : field.type);
    return `${name}${required.has(name) ? "" : "?"}: ${type}`;
  });
  const shape = { required, signature: `${tool.name}(${fields.join(", ")})` };
  shapes.set(tool, shape);
  return shape;
}
