/** Every question that a run asked, joined with its score: a question without one stays in the count. */
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
}

export function scoredQuestions({ contexts, scores }: RunLog): ScoredQuestion[] {
  const byId = new Map(contexts.map((context) => [context.id, context]));
  const seen = new Set<string>();
  const scored = scores.map((score): ScoredQuestion => {
    const context = byId.get(score.context);
    seen.add(keyOf(score.context, score.question));
    return {
      cluster: clusterOf(score.context, context?.hash),
      context: score.context,
      question: score.question,
      category: score.category,
      facets: context?.facets ?? {},
      metrics: score.metrics,
    };
  });
  const unscored = contexts.flatMap(({ id, hash, facets, questions }) =>
    questions
      .filter((question) => !seen.has(keyOf(id, question.id)))
      .map(
        (question): ScoredQuestion => ({
          cluster: clusterOf(id, hash),
          context: id,
          question: question.id,
          category: question.category,
          facets,
          metrics: null,
        }),
      ),
  );
  return [...scored, ...unscored];
}

/** Two seeds may give two different contexts one name, and two runs of one data set share theirs. */
const clusterOf = (context: string, hash = "") => `${context}#${hash}`;

const keyOf = (context: string, question: string) => JSON.stringify([context, question]);

/** Metric names in the order in which the scores list them; a benchmark lists its headline first. */
export function metricNames(questions: readonly ScoredQuestion[]): string[] {
  return [...new Set(questions.flatMap(({ metrics }) => Object.keys(metrics ?? {})))];
}
