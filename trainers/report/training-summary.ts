/** What a training run has come to, in numbers: where it began, where it is, what it cost, what was warned of. */
import { type PairedDifference, pairedDifference } from "../../evals/statistics/paired-difference.ts";
import { habits } from "../habits/catalog.ts";
import type { EvaluationLine, HabitRates } from "../run/metrics-line.ts";
import type { TrainingState } from "../run/state.ts";
import { askedKey, outcomeScores } from "./outcome-scores.ts";
import type { TrainingConfig, TrainingLog } from "./read-training.ts";

export interface HabitChange {
  readonly name: string;
  readonly before: HabitRates[string] | null;
  readonly after: HabitRates[string] | null;
  /**
   * Which way it went, where the difference is more than two standard errors of two independent shares; null where it is not,
   * where there were few occasions, or neither way is better. Occasions within a context hang together, so this errs on the
   * side of seeing a change.
   */
  readonly trend: "better" | "worse" | null;
}

export interface TrainingSummary {
  readonly folder: string;
  readonly config: TrainingConfig;
  readonly updates: { readonly done: number; readonly planned: number; readonly skipped: number };
  /** The first and the last evaluation; the same one when there is only one. */
  readonly first: EvaluationLine | null;
  readonly last: EvaluationLine | null;
  /** The evaluation with the highest sampled outcome; the earliest of equals. */
  readonly best: EvaluationLine | null;
  /** Last less first, over the questions that both asked, clustered by context; null before a second evaluation. */
  readonly gain: { readonly sampled: PairedDifference | null; readonly greedy: PairedDifference | null };
  readonly evaluations: readonly EvaluationLine[];
  /** Between the first and the last evaluation. */
  readonly habits: readonly HabitChange[];
  readonly tokens: { readonly sampled: number; readonly prompt: number };
  readonly sessions: { readonly memory: number; readonly qa: number; readonly failed: number };
  /** Of all steps together; null where timing.jsonl has nothing. */
  readonly seconds: number | null;
  readonly warnings: readonly { readonly update: number; readonly sentence: string }[];
  /** Why a guard rail ended the run; null when none did, or nobody knows. */
  readonly halted: TrainingState["halted"];
}

export interface SummariseOptions {
  /** Of the run's last state, which the files of numbers do not hold. */
  readonly halted?: TrainingState["halted"];
}

export function summariseTraining(log: TrainingLog, { halted = null }: SummariseOptions = {}): TrainingSummary {
  const { folder, config, metrics, evaluations, timing } = log;
  const first = evaluations[0] ?? null;
  const last = evaluations.at(-1) ?? null;
  const total = (of: (line: (typeof metrics)[number]) => number) => metrics.reduce((sum, line) => sum + of(line), 0);
  const seconds = timing.flatMap((line) => Object.values(line.seconds));
  return {
    folder,
    config,
    updates: {
      done: metrics.at(-1)?.update ?? 0,
      planned: config.recipe.updates,
      skipped: metrics.filter(({ skipped }) => skipped !== null).length,
    },
    first,
    last,
    best: bestOf(evaluations),
    gain: {
      sampled: gainOf(log, first, last, ({ folders }) => folders.sampled),
      greedy: gainOf(log, first, last, ({ folders }) => folders.greedy),
    },
    evaluations,
    habits: habitChanges(first, last),
    tokens: { sampled: total(({ tokens }) => tokens.sampled), prompt: total(({ tokens }) => tokens.prompt) },
    sessions: {
      memory: total(({ sessions }) => sessions.memory),
      qa: total(({ sessions }) => sessions.qa),
      failed: total(({ sessions }) => sessions.failed),
    },
    seconds: seconds.length === 0 ? null : seconds.reduce((sum, one) => sum + one, 0),
    warnings: metrics.flatMap(({ update, warnings, skipped }) => [
      ...(skipped === null ? [] : [{ update, sentence: `No step was taken: ${skipped}` }]),
      ...warnings.map((sentence) => ({ update, sentence })),
    ]),
    halted,
  };
}

function bestOf(evaluations: readonly EvaluationLine[]): EvaluationLine | null {
  let best: EvaluationLine | null = null;
  for (const line of evaluations)
    if (line.sampled.mean !== null && line.sampled.mean > (best?.sampled.mean ?? Number.NEGATIVE_INFINITY)) best = line;
  return best;
}

function gainOf(
  log: TrainingLog,
  first: EvaluationLine | null,
  last: EvaluationLine | null,
  foldersOf: (line: EvaluationLine) => readonly string[],
): PairedDifference | null {
  if (!first || !last || first === last) return null;
  const asked = (line: EvaluationLine) =>
    outcomeScores(log, foldersOf(line)).map((score) => ({
      cluster: `${score.source} ${score.line.context}`,
      question: askedKey(score),
      value: score.value,
    }));
  const [before, after] = [asked(first), asked(last)];
  return before.length === 0 || after.length === 0 ? null : pairedDifference(after, before, { seed: 0 });
}

function habitChanges(first: EvaluationLine | null, last: EvaluationLine | null): HabitChange[] {
  const names = new Set([
    ...habits.map(({ name }) => name),
    ...Object.keys(first?.habits ?? {}),
    ...Object.keys(last?.habits ?? {}),
  ]);
  return [...names].map((name) => {
    const before = first?.habits[name] ?? null;
    const after = first === last ? null : (last?.habits[name] ?? null);
    return { name, before, after, trend: trendOf(name, before, after) };
  });
}

const fewOccasions = 10;

function trendOf(name: string, before: HabitChange["before"], after: HabitChange["after"]): HabitChange["trend"] {
  const habit = habits.find((known) => known.name === name);
  if (!habit || habit.good === null || habit.kind !== "share" || !before || !after) return null;
  if (before.rate === null || after.rate === null || Math.min(before.occasions, after.occasions) < fewOccasions)
    return null;
  const difference = after.rate - before.rate;
  const pooled = (before.rate * before.occasions + after.rate * after.occasions) / (before.occasions + after.occasions);
  const error = Math.sqrt(pooled * (1 - pooled) * (1 / before.occasions + 1 / after.occasions));
  if (Math.abs(difference) <= 2 * error) return null;
  return difference > 0 === (habit.good === "high") ? "better" : "worse";
}
