/**
 * What an ablation shows: per cell, held-out outcome before and after, and the difference to the first cell.
 *
 * Differences are paired: the same question of the same context, asked by runs of the same seed. Intervals are clustered by
 * context and pool the seeds; how much seeds differ is seen from their means, which stand beside. Runs are compared at their
 * last evaluation, so how many tokens each had sampled by then is part of the result.
 */
import { existsSync } from "node:fs";
import { clusterBootstrap, type MeanInterval } from "../../evals/statistics/cluster-bootstrap.ts";
import {
  type PairedDifference,
  pairedDifference,
  type QuestionScore,
} from "../../evals/statistics/paired-difference.ts";
import { askedKey, outcomeScores } from "../report/outcome-scores.ts";
import { readTraining, type TrainingLog } from "../report/read-training.ts";
import type { EvaluationLine, HabitRates } from "../run/metrics-line.ts";
import { trainingFiles } from "../run/training-folder.ts";
import type { AblationRun } from "./ablation-runs.ts";
import { pooledHabits } from "./pooled-habits.ts";

/** How tokens were chosen when it was evaluated. */
export type Choosing = "sampled" | "greedy";

export interface SeedResult {
  readonly seed: number;
  readonly updates: number;
  readonly sampledTokens: number;
  /** Mean outcome at the first and at the last evaluation; null where there is none. */
  readonly before: number | null;
  readonly after: number | null;
}

export interface CellResult {
  readonly cell: string;
  readonly summary: string;
  /** Of the runs that have been evaluated at least twice. */
  readonly seeds: readonly SeedResult[];
  readonly before: MeanInterval;
  readonly after: MeanInterval;
  /** To the first cell, at the last evaluation; null for the first cell itself. */
  readonly difference: PairedDifference | null;
  /** Share of valid calls of the sampled sessions at the last evaluation, mean over seeds. */
  readonly validity: number | null;
  /** Of the sampled sessions, all seeds pooled, at the first and at the last evaluation. */
  readonly habits: { readonly before: HabitRates; readonly after: HabitRates };
}

export interface AblationSummary {
  readonly choosing: Choosing;
  readonly cells: readonly CellResult[];
  /** Runs that are not there, or have no second evaluation yet. */
  readonly missing: readonly { readonly cell: string; readonly seed: number }[];
}

/** Of what there is by now. Null when greedy outcomes are asked for and no run has any. */
export function summariseAblation(runs: readonly AblationRun[], choosing: Choosing): AblationSummary | null {
  const read = runs.map((run) => ({ run, log: evaluatedTwice(run) }));
  const done = read.flatMap(({ run, log }) => (log ? [{ run, log }] : []));
  if (choosing === "greedy" && !done.some(({ log }) => log.evaluations.at(-1)!.greedy !== null)) return null;
  const cells = [...new Set(runs.map(({ cell }) => cell))];
  const valuesOf = (cell: string, at: 0 | -1) =>
    done
      .filter(({ run }) => run.cell === cell)
      .flatMap(({ run, log }) => values(run, log, log.evaluations.at(at)!, choosing));
  const first = valuesOf(cells[0]!, -1);
  return {
    choosing,
    cells: cells.map((cell, index): CellResult => {
      const own = done.filter(({ run }) => run.cell === cell);
      const after = valuesOf(cell, -1);
      // only seeds that both have: another seed has other questions
      const seeds = new Set(own.map(({ run }) => run.seed));
      const comparable = first.filter(({ seed }) => seeds.has(seed));
      return {
        cell,
        summary: runs.find((run) => run.cell === cell)!.summary,
        seeds: own.map(({ run, log }) => seedResult(run, log, choosing)),
        before: clusterBootstrap(valuesOf(cell, 0), { seed: 0 }),
        after: clusterBootstrap(after, { seed: 0 }),
        difference: index === 0 ? null : pairedDifference(after, comparable, { seed: 0 }),
        validity: meanOrNull(own.map(({ log }) => log.evaluations.at(-1)!.validity)),
        habits: {
          before: pooledHabits(own.map(({ log }) => log.evaluations[0]!.habits)),
          after: pooledHabits(own.map(({ log }) => log.evaluations.at(-1)!.habits)),
        },
      };
    }),
    missing: read.flatMap(({ run: { cell, seed }, log }) => (log ? [] : [{ cell, seed }])),
  };
}

function evaluatedTwice({ folder }: AblationRun): TrainingLog | null {
  if (!existsSync(trainingFiles.config(folder))) return null;
  const log = readTraining(folder);
  return log.evaluations.length >= 2 ? log : null;
}

type Value = QuestionScore & { readonly seed: number };

function values({ seed }: AblationRun, log: TrainingLog, line: EvaluationLine, choosing: Choosing): Value[] {
  return outcomeScores(log, line.folders[choosing]).map((score) => ({
    seed,
    cluster: `${score.source} ${score.line.context}`,
    question: `${seed} ${askedKey(score)}`,
    value: score.value,
  }));
}

function seedResult({ seed }: AblationRun, { metrics, evaluations }: TrainingLog, choosing: Choosing): SeedResult {
  const last = evaluations.at(-1)!;
  const counted = metrics.filter(({ update }) => update <= last.update);
  return {
    seed,
    updates: last.update,
    sampledTokens: counted.reduce((sum, { tokens }) => sum + tokens.sampled, 0),
    before: evaluations[0]![choosing]?.mean ?? null,
    after: last[choosing]?.mean ?? null,
  };
}

function meanOrNull(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length;
}
