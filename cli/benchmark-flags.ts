/** A benchmark's own options as flags: made from its config schema, read back into its types. */
import { z } from "zod";
import { UmaError } from "../base/errors.ts";
import { valueProblems } from "../base/issue-sentence.ts";
import type { Benchmark } from "../evals/benchmark.ts";
import { kebab } from "./flags.ts";

interface Field {
  type?: string | string[];
  anyOf?: Field[];
  items?: Field;
  description?: string;
  default?: unknown;
  enum?: unknown[];
}

/** `seed` is the run's; everything else of the config becomes a flag. */
export function benchmarkFlags(benchmark: Benchmark): z.ZodObject {
  const fields = Object.entries(properties(benchmark)).filter(([key]) => key !== "seed");
  return z.object(
    Object.fromEntries(
      fields.map(([key, field]) => {
        if (accepts(field, "boolean")) {
          const flag = z.boolean().describe(field.description ?? key);
          return [key, field.default === true ? flag.default(true) : flag.optional()];
        }
        const fallback = field.default === undefined || field.default === null ? "" : [field.default].flat().join(",");
        const choices = field.enum ? ` [${field.enum.join("|")}]` : "";
        const shown = `${field.description ?? key}${choices}${fallback === "" ? "" : ` (default ${fallback})`}`;
        return [key, z.string().optional().describe(shown)];
      }),
    ),
  );
}

/** Texts from the command line as the config's types; the benchmark's schema then has the last word. */
export function benchmarkConfig(
  benchmark: Benchmark,
  given: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const fields = properties(benchmark);
  const raw = Object.fromEntries(
    Object.entries(given).map(([key, value]) => [
      key,
      typeof value === "string" && Object.hasOwn(fields, key) ? readText(value, fields[key]!) : value,
    ]),
  );
  const parsed = benchmark.config.safeParse(raw);
  if (!parsed.success) {
    const problems = valueProblems(parsed.error, given).map(({ field, expected, got }) => {
      if (field === "") return `expected ${expected}, got ${got}`;
      const [key = "", ...inside] = field.split(".");
      const where = `--${kebab(key)}${inside.length > 0 ? ` (item ${Number(inside[0]) + 1})` : ""}`;
      return got === "nothing" && !(key in given)
        ? `${where} is required`
        : `${where}: expected ${expected}, got ${got}`;
    });
    throw new UmaError("config", `${benchmark.name}: ${problems.join("; ")}`, {
      fix: `see umagraph eval ${benchmark.name} --help`,
    });
  }
  return parsed.data as Record<string, unknown>;
}

export const hasOption = (benchmark: Benchmark, key: string) => key in properties(benchmark);

function properties(benchmark: Benchmark): Record<string, Field> {
  const schema = z.toJSONSchema(benchmark.config, { io: "input", unrepresentable: "any" });
  return (schema.properties ?? {}) as Record<string, Field>;
}

function accepts(field: Field, type: string): boolean {
  return [field.type].flat().includes(type) || (field.anyOf?.some((option) => accepts(option, type)) ?? false);
}

function readText(text: string, field: Field): unknown {
  if (text === "null" && accepts(field, "null")) return null;
  const list = [field, ...(field.anyOf ?? [])].find((option) => option.type === "array");
  if (list && (text.includes(",") || (!accepts(field, "number") && !accepts(field, "integer"))))
    return text.split(",").map((item) => readScalar(item.trim(), list.items ?? {}));
  return readScalar(text, field);
}

const readScalar = (text: string, field: Field): unknown =>
  (accepts(field, "integer") || accepts(field, "number")) && text.trim() !== "" && Number.isFinite(Number(text))
    ? Number(text)
    : text;
