/** Command-line arguments and environment twins → a value of the command's schema; a wrong flag gets a sentence that helps. */
import { z } from "zod";
import { closest } from "../base/closest.ts";
import { UmaError } from "../base/errors.ts";
import { valueProblems } from "../base/issue-sentence.ts";

export interface Flag {
  readonly key: string;
  readonly flag: string;
  readonly variable: string;
  readonly boolean: boolean;
  /** Given twice, its values are joined. */
  readonly list: boolean;
  readonly description: string;
  readonly values: readonly string[] | null;
  readonly fallback: unknown;
}

export const kebab = (key: string) => key.replace(/(?<=.)[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
const flagName = (key: string) => `--${kebab(key)}`;

interface Field {
  readonly type?: string;
  readonly anyOf?: readonly Field[];
  readonly description?: string;
  readonly enum?: string[];
  readonly default?: unknown;
}

/** The schema's fields as flags, for parsing and for help. */
export function flagsOf(schema: z.ZodObject): Flag[] {
  const json = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as {
    properties?: Record<string, Field>;
  };
  return Object.entries(json.properties ?? {}).map(([key, field]) => ({
    key,
    flag: flagName(key),
    variable: `UMAGRAPH_${kebab(key).replaceAll("-", "_").toUpperCase()}`,
    boolean: field.type === "boolean",
    list: field.anyOf?.some(({ type }) => type === "array") ?? false,
    description: field.description ?? "",
    values: field.enum ?? null,
    fallback: field.default,
  }));
}

export interface ParsedArguments {
  readonly positionals: string[];
  /** Raw texts, true or false, by key; not yet parsed by the schema. */
  readonly given: Record<string, string | boolean>;
  /** The keys that stood on the command line; the others of `given` came from the environment. */
  readonly typed: ReadonlySet<string>;
}

/** `--flag value`, `--flag=value`, `--boolean`, `--no-boolean`, in any order with positionals; `--` ends the flags. */
export function readArguments(args: readonly string[], flags: readonly Flag[]): ParsedArguments {
  const byName = new Map(flags.map((flag) => [flag.flag, flag]));
  const positionals: string[] = [];
  const given: Record<string, string | boolean> = {};
  const rest = [...args];
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    if (arg === "--") {
      positionals.push(...rest);
      break;
    }
    if (!isFlag(arg)) {
      positionals.push(arg);
      continue;
    }
    const equals = arg.indexOf("=");
    const name = equals < 0 ? arg : arg.slice(0, equals);
    const inline = equals < 0 ? undefined : arg.slice(equals + 1);
    const negated = name.startsWith("--no-") ? byName.get(`--${name.slice(5)}`) : undefined;
    const flag = byName.get(name) ?? (negated?.boolean ? negated : undefined);
    if (!flag) throw unknownFlag(name, flags);
    if (flag === negated) {
      if (inline !== undefined) throw new UmaError("config", `${name} takes no value, got ${JSON.stringify(inline)}`);
      given[flag.key] = false;
    } else if (flag.boolean) given[flag.key] = inline === undefined ? true : readBoolean(flag.flag, inline);
    else {
      const value = inline ?? (rest[0]?.startsWith("--") ? undefined : rest.shift());
      if (value === undefined || value === "")
        throw new UmaError("config", `${name} needs a value`, { fix: flag.description });
      const before = given[flag.key];
      given[flag.key] = flag.list && typeof before === "string" ? `${before},${value}` : value;
    }
  }
  const typed = new Set(Object.keys(given));
  for (const flag of flags) {
    const value = process.env[flag.variable];
    if (typed.has(flag.key) || value === undefined || value === "") continue;
    given[flag.key] = flag.boolean ? readBoolean(flag.variable, value) : value;
  }
  return { positionals, given, typed };
}

/** A lone dash is standard input, and a negative number is a value. */
export const isFlag = (arg: string) => /^-[^\d.]/.test(arg);

function readBoolean(name: string, text: string): boolean {
  if (/^(?:true|1|yes|on)$/i.test(text)) return true;
  if (/^(?:false|0|no|off)$/i.test(text)) return false;
  throw new UmaError("config", `${name}: expected true or false, got ${JSON.stringify(text)}`);
}

/** Parses by the schema; the message names the flag, what was expected and what came. */
export function parseFlags<Schema extends z.ZodObject>(
  schema: Schema,
  given: Readonly<Record<string, unknown>>,
): z.infer<Schema> {
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  const problems = valueProblems(parsed.error, given);
  const sentences = problems.map(({ field, expected, got }) =>
    got === "nothing" ? `${flagName(field)} is required` : `${flagName(field)}: expected ${expected}, got ${got}`,
  );
  const first = flagsOf(schema).find((flag) => flag.key === problems[0]?.field);
  throw new UmaError("config", sentences.join("; "), first?.description ? { fix: first.description } : {});
}

function unknownFlag(typed: string, flags: readonly Flag[]): UmaError {
  const meant = closest(
    typed,
    flags.map(({ flag }) => flag),
  );
  return new UmaError("config", `there is no flag ${typed}`, {
    fix: meant ? `did you mean ${meant}?` : "see --help for the flags of this command",
  });
}

/** "2,10,50" → [2, 10, 50] */
export const numberList = z.union([z.string(), z.array(z.number())]).transform((value, context) => {
  const items = Array.isArray(value)
    ? value
    : value.split(",").map((item) => (item.trim() === "" ? NaN : Number(item)));
  if (items.length === 0 || items.some((item) => !Number.isSafeInteger(item))) {
    context.addIssue({ code: "custom", message: "expected whole numbers separated by commas" });
    return z.NEVER;
  }
  return [...new Set(items)];
});

/** "uma, rag" → ["uma", "rag"] */
export const nameList = z.union([z.string(), z.array(z.string())]).transform((value, context) => {
  const names = (Array.isArray(value) ? value : value.split(",")).map((item) => item.trim()).filter(Boolean);
  if (names.length === 0) {
    context.addIssue({ code: "custom", message: "expected names separated by commas" });
    return z.NEVER;
  }
  return [...new Set(names)];
});
