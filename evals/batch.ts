/** A batch: one benchmark, several variants, policies and seeds → one cell, that is one run folder, for each combination. */
import { join } from "node:path";
import { z } from "zod";
import { UmaError } from "../base/errors.ts";
import { problemSentence, valueProblems } from "../base/issue-sentence.ts";
import { readYaml } from "../base/read-yaml.ts";

const oneOrMore = <Item extends z.ZodType>(item: Item) =>
  z.union([item, z.array(item).min(1)]).transform((value) => [value].flat() as z.infer<Item>[]);

/** The shape of a batch file (YAML or JSON); every field can also be a flag, and flags win. */
export const BatchFile = z.strictObject({
  name: z.string().min(1).optional().describe("Names the run folder"),
  benchmark: z.string().describe("ledger-qa, locomo, …"),
  config: z.record(z.string(), z.unknown()).default({}).describe("The benchmark's own options"),
  variants: oneOrMore(z.string()).default(["uma"]).describe("Specs such as uma, uma:withoutRawContext, rag:topK=5"),
  policies: oneOrMore(z.union([z.string(), z.looseObject({ policy: z.string() })]))
    .optional()
    .describe("Names, or objects with policy, model, baseURL, …"),
  seeds: oneOrMore(z.int()).default([0]),
  toolset: z.string().optional(),
  prompts: z.string().optional(),
  budget: z.int().min(1_024).optional(),
  maxTurns: z.int().min(1).optional(),
  maxCalls: z.int().min(1).optional(),
  concurrency: z.int().min(1).optional(),
});
export type BatchFile = z.infer<typeof BatchFile>;

/** Throws `input` for a file that cannot be read or parsed, `config` with file, field, expected and got for a wrong value. */
export function readBatchFile(path: string): BatchFile {
  const value = readYaml(path, "give a batch file in YAML, or a benchmark's name");
  const parsed = BatchFile.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new UmaError("config", `${path}: ${problemSentence(valueProblems(parsed.error, value))}`, {
    fix: `fields: ${Object.keys(BatchFile.shape).join(", ")}`,
  });
}

export interface Cell<Spec> {
  readonly variant: string;
  readonly policy: Spec;
  readonly seed: number;
  readonly folder: string;
}

/** In the order variants, policies, seeds. A batch of one cell is that cell's folder itself. */
export function cellsOf<Spec>(
  out: string,
  axes: { variants: readonly string[]; policies: readonly Spec[]; seeds: readonly number[] },
  label: (policy: Spec) => string,
): Cell<Spec>[] {
  const { variants, policies, seeds } = axes;
  const cells = variants.flatMap((variant) =>
    policies.flatMap((policy) => seeds.map((seed) => ({ variant, policy, seed }))),
  );
  if (cells.length === 1) return [{ ...cells[0]!, folder: out }];
  const taken = new Map<string, number>();
  return cells.map((cell) => {
    const name = [cell.variant, label(cell.policy), `s${cell.seed}`].map(fileName).join("--");
    const count = (taken.get(name) ?? 0) + 1;
    taken.set(name, count);
    // two specs may differ in what their names do not show
    return { ...cell, folder: join(out, count === 1 ? name : `${name}--${count}`) };
  });
}

const fileName = (text: string) => text.replace(/[^A-Za-z0-9._=-]+/g, "-");
