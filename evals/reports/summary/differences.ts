/** Paired differences: how much better one row of a benchmark is than another on the questions that both have a score for. */
import { type PairedDifference, pairedDifference, type QuestionScore } from "../../statistics/paired-difference.ts";
import type { IntervalOptions } from "./metric-values.ts";
import type { ScoredQuestion } from "./scored-questions.ts";

export interface Difference extends PairedDifference {
  readonly benchmark: string;
  readonly metric: string;
  /** Labels of the two rows; positive means that `first` scores higher. */
  readonly first: string;
  readonly second: string;
}

export interface ComparedGroup {
  readonly label: string;
  readonly benchmark: string;
  readonly metric: string | null;
  readonly questions: readonly ScoredQuestion[];
}

/** Every pair of rows that share a benchmark, its headline metric and at least one question. */
export function differences(groups: readonly ComparedGroup[], options: IntervalOptions): Difference[] {
  const scores = groups.map(({ questions, metric }) => (metric === null ? [] : questionScores(questions, metric)));
  return groups.flatMap((first, i) =>
    groups.slice(i + 1).flatMap((second, offset) => {
      const { metric, benchmark } = first;
      if (metric === null || second.benchmark !== benchmark || second.metric !== metric) return [];
      const difference = pairedDifference(scores[i]!, scores[i + 1 + offset]!, options);
      if (difference.n === 0) return [];
      return [{ benchmark, metric, first: first.label, second: second.label, ...difference }];
    }),
  );
}

/** A question that several seeds answered counts once, with its mean. */
function questionScores(questions: readonly ScoredQuestion[], metric: string): QuestionScore[] {
  const found = new Map<string, { cluster: string; question: string; sum: number; n: number }>();
  for (const { cluster, question, metrics } of questions) {
    const value = metrics && Object.hasOwn(metrics, metric) ? metrics[metric] : null;
    if (typeof value !== "number" || !Number.isFinite(value)) continue;
    const key = JSON.stringify([cluster, question]);
    const held = found.get(key);
    if (held) {
      held.sum += value;
      held.n++;
    } else found.set(key, { cluster, question, sum: value, n: 1 });
  }
  return [...found.values()].map(({ cluster, question, sum, n }) => ({ cluster, question, value: sum / n }));
}
