/**
 * Every question that a run asked, joined with its scores: a question without one stays in the count.
 *
 * A question that G trajectories answered is one question: its value is the mean over the trajectories that have one, so
 * that G weighs nothing in means and intervals. How many answers were asked for and have a value is kept beside it.
 */
import type { ScoreLine } from "../../run-folder.ts";
import { askedQuestions } from "../asked-questions.ts";
import type { RunLog } from "../read-run.ts";

export interface ScoredQuestion {
  /** What hangs together in an interval: the context, told apart from another of the same name by its content. */
  readonly cluster: string;
  readonly context: string;
  readonly question: string;
  readonly category: string;
  readonly facets: Readonly<Record<string, string | number>>;
  /** Null when the question has no score line: not answered yet, or not scored yet. */
  readonly metrics: Readonly<Record<string, number | null>> | null;
  readonly answers: {
    /** One per trajectory. */
    readonly asked: number;
    /** Metric → answers that have a value. */
    readonly scored: Readonly<Record<string, number>>;
  };
}

export function scoredQuestions({ config, contexts, scores }: RunLog): ScoredQuestion[] {
  const byId = new Map(contexts.map((context) => [context.id, context]));
  const linesOf = new Map<string, ScoreLine[]>();
  for (const line of scores) {
    const key = keyOf(line.context, line.question);
    const held = linesOf.get(key);
    if (held) held.push(line);
    else linesOf.set(key, [line]);
  }
  const asked = config.rollout.G;
  const scored = [...linesOf.values()].map((lines): ScoredQuestion => {
    const { context: id, question, category } = lines[0]!;
    const context = byId.get(id);
    const metrics = meanMetrics(lines);
    return {
      cluster: clusterOf(id, context?.hash),
      context: id,
      question,
      category,
      facets: context?.facets ?? {},
      metrics,
      answers: {
        asked: Math.max(asked, lines.length),
        scored: Object.fromEntries(Object.keys(metrics).map((name) => [name, valuesOf(lines, name).length])),
      },
    };
  });
  const unscored = contexts.flatMap((context) =>
    askedQuestions(config, context)
      .filter((question) => !linesOf.has(keyOf(context.id, question.id)))
      .map(
        (question): ScoredQuestion => ({
          cluster: clusterOf(context.id, context.hash),
          context: context.id,
          question: question.id,
          category: question.category,
          facets: context.facets,
          metrics: null,
          answers: { asked, scored: {} },
        }),
      ),
  );
  return [...scored, ...unscored];
}

function meanMetrics(lines: readonly ScoreLine[]): Record<string, number | null> {
  const names = [...new Set(lines.flatMap(({ metrics }) => Object.keys(metrics)))];
  return Object.fromEntries(
    names.map((name) => {
      // sorted, because a floating-point sum depends on its order and sessions finish in any
      const values = valuesOf(lines, name).sort((a, b) => a - b);
      return [name, values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length];
    }),
  );
}

const valuesOf = (lines: readonly ScoreLine[], name: string): number[] =>
  lines.flatMap(({ metrics }) => (Object.hasOwn(metrics, name) ? (metrics[name] ?? []) : []));

/** Two seeds may give two different contexts one name, and two runs of one data set share theirs. */
const clusterOf = (context: string, hash = "") => `${context}#${hash}`;

const keyOf = (context: string, question: string) => JSON.stringify([context, question]);

/** Metric names in the order in which the scores list them; a benchmark lists its headline first. */
export function metricNames(questions: readonly ScoredQuestion[]): string[] {
  return [...new Set(questions.flatMap(({ metrics }) => Object.keys(metrics ?? {})))];
}
