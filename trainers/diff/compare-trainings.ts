/**
 * Whether two training runs are the same run: by what their updates did and their evaluations found.
 *
 * Left out is what a clock or a machine decides (timing.jsonl, training.json's places). Two runs that went different ways
 * differ everywhere after it, so the first difference is what tells.
 */
import { existsSync } from "node:fs";
import { z } from "zod";
import { UmaError } from "../../base/errors.ts";
import { readJsonl } from "../../base/jsonl.ts";
import { type ValueDifference, valueDifferences } from "../../evals/diff/value-differences.ts";
import { readConfig } from "../run/training-config.ts";
import { trainingFiles } from "../run/training-folder.ts";

export interface TrainingDifference extends ValueDifference {
  readonly file: "metrics.jsonl" | "evaluations.jsonl";
  /** The update that did it, or after which it was evaluated; `field` is empty where only one run has it. */
  readonly update: number;
}

export interface TrainingComparison {
  readonly identical: boolean;
  /** By update, an update's metrics before the evaluation after it. */
  readonly differences: readonly TrainingDifference[];
  /** What both have. */
  readonly compared: { readonly updates: number; readonly evaluations: number };
  /** What they were begun with, where it differs: fields of recipe, scale and seed. No result by itself. */
  readonly settings: readonly ValueDifference[];
  readonly notes: readonly string[];
}

type Line = { readonly update: number };

export const isTrainingFolder = (folder: string): boolean => existsSync(trainingFiles.config(folder));

/** Throws `input` for what is no training run, and when there is nothing to compare. */
export function compareTrainings(a: string, b: string): TrainingComparison {
  const [runA, runB] = [readTraining(a), readTraining(b)];
  if ([runA, runB].every(({ metrics, evaluations }) => metrics.length + evaluations.length === 0))
    throw new UmaError("input", `neither ${a} nor ${b} has finished an update or an evaluation yet`, {
      fix: "go on with: umagraph train --resume <folder>",
    });
  const updates = new Set([...runA.metrics, ...runB.metrics, ...runA.evaluations, ...runB.evaluations].map(updateOf));
  const differences = [...updates]
    .sort((one, other) => one - other)
    .flatMap((update) => [
      ...lineDifferences("metrics.jsonl", update, runA.metrics, runB.metrics),
      ...lineDifferences("evaluations.jsonl", update, runA.evaluations, runB.evaluations),
    ]);
  return {
    identical: differences.length === 0,
    differences,
    compared: {
      updates: shared(runA.metrics, runB.metrics),
      evaluations: shared(runA.evaluations, runB.evaluations),
    },
    settings: [...valueDifferences(runA.config, runB.config)],
    notes: [runA, runB]
      .filter(({ torn }) => torn)
      .map(({ folder }) => `${folder}: a half-written last line was left out`),
  };
}

const updateOf = ({ update }: Line) => update;

function readTraining(folder: string) {
  const config = readConfig(folder, Settings);
  const metrics = readJsonl<Line>(trainingFiles.metrics(folder));
  const evaluations = readJsonl<Line>(trainingFiles.evaluations(folder));
  return {
    folder,
    config,
    metrics: metrics.values,
    evaluations: evaluations.values,
    torn: metrics.torn || evaluations.torn,
  };
}

/** What decides a run; the rest of training.json says where and with what it was made. */
const Settings = z.object({
  recipe: z.looseObject({ name: z.string() }),
  scale: z.string().nullable().default(null),
  seed: z.int(),
});

function lineDifferences(
  file: TrainingDifference["file"],
  update: number,
  a: readonly Line[],
  b: readonly Line[],
): TrainingDifference[] {
  const [left, right] = [a, b].map((lines) => lines.find((line) => line.update === update));
  if (left === undefined && right === undefined) return [];
  if (left === undefined || right === undefined)
    return [{ file, update, field: "", a: left && "there", b: right && "there" }];
  return [...valueDifferences(left, right)].map((difference) => ({ file, update, ...difference }));
}

function shared(a: readonly Line[], b: readonly Line[]): number {
  const known = new Set(b.map(updateOf));
  return a.filter(({ update }) => known.has(update)).length;
}
