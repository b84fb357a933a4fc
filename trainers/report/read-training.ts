/**
 * A training run as its folder holds it, at any time: also before the first update, while it runs, and after it was killed.
 *
 * A torn last line is left out, and of two lines for one update the later one counts: a resumed run writes those again that
 * it does again.
 */
import { join } from "node:path";
import { z } from "zod";
import { UmaError } from "../../base/errors.ts";
import { problemSentence, valueProblems } from "../../base/issue-sentence.ts";
import { readJsonl } from "../../base/jsonl.ts";
import { EvaluationLine, MetricsLine, TimingLine } from "../run/metrics-line.ts";
import { readConfig } from "../run/training-config.ts";
import { trainingFiles } from "../run/training-folder.ts";

/** What a report needs of training.json; all else in it is kept and shown as it is. */
const TrainingConfig = z.looseObject({
  seed: z.int(),
  scale: z.string().nullable().optional(),
  umagraph: z.string().optional(),
  recipe: z.looseObject({
    name: z.string(),
    summary: z.string().optional(),
    updates: z.int(),
    async: z.int().optional(),
  }),
});
export type TrainingConfig = z.infer<typeof TrainingConfig>;

export interface TrainingLog {
  readonly folder: string;
  readonly config: TrainingConfig;
  /** By update, ascending. */
  readonly metrics: readonly MetricsLine[];
  readonly evaluations: readonly EvaluationLine[];
  readonly timing: readonly TimingLine[];
}

/** Throws `input` for what is no training folder, and for a line that cannot be read. */
export function readTraining(folder: string): TrainingLog {
  return {
    folder,
    config: trainingConfig(folder),
    metrics: readLines(trainingFiles.metrics(folder), MetricsLine),
    evaluations: readLines(trainingFiles.evaluations(folder), EvaluationLine),
    timing: readLines(trainingFiles.timing(folder), TimingLine),
  };
}

function trainingConfig(folder: string): TrainingConfig {
  const begun = readConfig(folder, z.looseObject({ recipe: z.looseObject({ kind: z.string() }) }));
  if (begun.recipe.kind === "sft")
    throw new UmaError("input", `${folder} is a supervised run, which has no curves of rewards and habits`, {
      fix: `report how its policy was scored: umagraph report ${join(folder, "scores")}`,
    });
  return parse(TrainingConfig, begun, trainingFiles.config(folder));
}

function readLines<Line extends { readonly update: number }>(file: string, schema: z.ZodType<Line>): Line[] {
  const byUpdate = new Map<number, Line>();
  readJsonl<unknown>(file).values.forEach((value, at) => {
    const line = parse(schema, value, `${file}, line ${at + 1}`);
    byUpdate.set(line.update, line);
  });
  return [...byUpdate.values()].sort((a, b) => a.update - b.update);
}

function parse<Value>(schema: z.ZodType<Value>, value: unknown, where: string): Value {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new UmaError("input", `${where}: ${problemSentence(valueProblems(parsed.error, value))}`, {
    fix: "report the run with the umagraph version that made it (training.json names it)",
  });
}
