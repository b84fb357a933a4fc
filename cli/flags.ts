/** Command-line arguments and environment twins → a value of the command's schema; a wrong flag gets a sentence that helps. */
import { parseArgs } from "node:util";
import { z } from "zod";
import { UmaError } from "../base/errors.ts";

export interface Flag {
  readonly key: string;
  readonly flag: string;
  readonly variable: string;
  readonly boolean: boolean;
  readonly description: string;
  readonly values: readonly string[] | null;
  readonly fallback: unknown;
  readonly required: boolean;
}

export const kebab = (key: string) => key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** The schema's fields as flags, for parsing and for help. */
export function flagsOf(schema: z.ZodObject): Flag[] {
  const json = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as {
    properties?: Record<string, { type?: string; description?: string; enum?: string[]; default?: unknown }>;
    required?: string[];
  };
  return Object.entries(json.properties ?? {}).map(([key, field]) => ({
    key,
    flag: `--${kebab(key)}`,
    variable: `UMAGRAPH_${kebab(key).replaceAll("-", "_").toUpperCase()}`,
    boolean: field.type === "boolean",
    description: field.description ?? "",
    values: field.enum ?? null,
    fallback: field.default,
    required: json.required?.includes(key) ?? false,
  }));
}

export interface ParsedArguments {
  readonly positionals: string[];
  /** Raw texts or true, by key; not yet parsed by the schema. */
  readonly given: Record<string, string | boolean>;
}

export function readArguments(args: readonly string[], flags: readonly Flag[]): ParsedArguments {
  const known = new Map(flags.map((flag) => [flag.flag.slice(2), flag]));
  const { tokens } = parseArgs({
    args: [...args],
    strict: false,
    allowPositionals: true,
    tokens: true,
    options: Object.fromEntries(
      flags.map((flag) => [flag.flag.slice(2), { type: flag.boolean ? ("boolean" as const) : ("string" as const) }]),
    ),
  });
  const positionals: string[] = [];
  const given: Record<string, string | boolean> = {};
  for (const token of tokens) {
    if (token.kind === "positional") positionals.push(token.value);
    if (token.kind !== "option") continue;
    const negated = token.name.startsWith("no-") ? known.get(token.name.slice(3)) : undefined;
    const flag = known.get(token.name) ?? (negated?.boolean ? negated : undefined);
    if (!flag) throw unknownFlag(token.rawName, flags);
    if (flag.boolean) given[flag.key] = token.value === undefined ? !negated : token.value !== "false";
    else if (token.value === undefined)
      throw new UmaError("config", `${token.rawName} needs a value`, { fix: flag.description });
    else given[flag.key] = token.value;
  }
  for (const flag of flags) {
    const value = process.env[flag.variable];
    if (given[flag.key] === undefined && value !== undefined && value !== "")
      given[flag.key] = flag.boolean ? value !== "false" && value !== "0" : value;
  }
  return { positionals, given };
}

/** Parses by the schema; the message names the flag, what was expected and what came. */
export function parseFlags<Schema extends z.ZodObject>(
  schema: Schema,
  given: Readonly<Record<string, unknown>>,
): z.infer<Schema> {
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  const flags = new Map(flagsOf(schema).map((flag) => [flag.key, flag]));
  const problems = parsed.error.issues.map((issue) => {
    const key = String(issue.path[0] ?? "");
    const came = given[key] === undefined ? "nothing" : JSON.stringify(given[key]);
    return `--${kebab(key)}: ${issue.message}, got ${came}`;
  });
  const first = flags.get(String(parsed.error.issues[0]?.path[0] ?? ""));
  throw new UmaError("config", problems.join("; "), first?.description ? { fix: first.description } : {});
}

function unknownFlag(raw: string, flags: readonly Flag[]): UmaError {
  const closest = flags
    .map((flag) => ({ flag: flag.flag, distance: editDistance(flag.flag, raw) }))
    .sort((a, b) => a.distance - b.distance)[0];
  const fix =
    closest && closest.distance <= 4 ? `did you mean ${closest.flag}?` : "see --help for the flags of this command";
  return new UmaError("config", `there is no flag ${raw}`, { fix });
}

function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++)
      row[j] = Math.min(previous[j]! + 1, row[j - 1]! + 1, previous[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1));
    previous = row;
  }
  return previous[b.length]!;
}

/** "2,10,50" → [2, 10, 50] */
export const numberList = z.union([z.string(), z.number(), z.array(z.number())]).transform((value, context) => {
  const items = Array.isArray(value)
    ? value
    : String(value)
        .split(",")
        .map((item) => Number(item.trim()));
  if (items.length === 0 || items.some((item) => !Number.isInteger(item))) {
    context.addIssue({ code: "custom", message: "expected whole numbers separated by commas" });
    return z.NEVER;
  }
  return items;
});

/** "uma, rag" → ["uma", "rag"] */
export const nameList = z
  .union([z.string(), z.array(z.string())])
  .transform((value) =>
    (Array.isArray(value) ? value : value.split(",")).map((item) => item.trim()).filter((item) => item !== ""),
  );
