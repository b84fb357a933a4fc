/**
 * What an evaluation asks: contexts (a stream cut into chunks) and the questions about them (UMA §2.1, App. E).
 *
 * A benchmark is one declaration: how to load it, which metrics score it, which of them is its headline. Loading is the
 * only thing that touches files; scoring is a pure function of the answer and the question.
 */
import type { z } from "zod";

/** Where a question's support stands: UTF-16 offsets into one chunk's text. */
export interface Evidence {
  /** The data set's own name for it, e.g. "D1:3". */
  readonly id: string;
  /** 0-based chunk. */
  readonly chunk: number;
  readonly start: number;
  readonly end: number;
}

export interface Question {
  /** Unique within the context. */
  readonly id: string;
  readonly text: string;
  /** The gold answer; "" is a legal gold, null means that the data set has none. */
  readonly answer: string | null;
  /** 0-based index of the last chunk that is in memory when the question is asked. */
  readonly position: number;
  readonly category: string;
  readonly evidence?: readonly Evidence[];
}

export interface EvalContext {
  readonly id: string;
  readonly chunks: readonly string[];
  readonly questions: readonly Question[];
  /** What a table is split by beside the category, e.g. { horizon: 10 }. */
  readonly facets: Readonly<Record<string, string | number>>;
}

export interface Metric {
  readonly name: string;
  /** A number in [0, 1], or null when this question cannot be scored by this metric (kept out of every mean). */
  score(prediction: string, question: Question): number | null;
}

export interface Benchmark<Config = unknown> {
  readonly name: string;
  /** ST state tracking · TTL test-time learning · AR accurate retrieval (Table 1). */
  readonly family: "ST" | "TTL" | "AR";
  readonly paper: string;
  readonly description: string;
  readonly config: z.ZodType<Config>;
  /** Yields contexts in a fixed order; the same config and data give the same contexts, byte for byte. */
  load(config: Config): AsyncIterable<EvalContext>;
  readonly metrics: readonly Metric[];
  /** The name of the metric that a one-number table shows. */
  readonly headline: string;
}

/** Keeps the config's type while the declaration is written as a literal. */
export const defineBenchmark = <Config>(benchmark: Benchmark<Config>): Benchmark<Config> => benchmark;

/**
 * The model-free check of a benchmark: every gold answer, given as the prediction, must score 1 by the headline metric.
 * Returns one line per question that does not.
 */
export async function validate<Config>(benchmark: Benchmark<Config>, config: Config): Promise<string[]> {
  const headline = benchmark.metrics.find((metric) => metric.name === benchmark.headline);
  if (!headline) return [`${benchmark.name}: no metric is named "${benchmark.headline}"`];
  const problems: string[] = [];
  for await (const context of benchmark.load(benchmark.config.parse(config))) {
    for (const question of context.questions) {
      const where = `${benchmark.name} ${context.id} ${question.id}`;
      if (question.answer === null) continue;
      const score = headline.score(question.answer, question);
      if (score !== null && score !== 1) problems.push(`${where}: the gold answer scores ${score} by ${headline.name}`);
      if (question.position < 0 || question.position >= context.chunks.length)
        problems.push(`${where}: position ${question.position} is outside 0..${context.chunks.length - 1}`);
    }
  }
  return problems;
}
