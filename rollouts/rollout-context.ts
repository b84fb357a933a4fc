/** What is sampled: one stream in chunks, and the questions that may be asked about it. */
import type { VariantQuestion } from "../graphs/variants/variant.ts";

export interface RolloutContext<Question extends VariantQuestion = VariantQuestion> {
  /** Unique within the run. */
  readonly id: string;
  readonly chunks: readonly string[];
  readonly questions: readonly Question[];
}

/** The ids that records carry. */
export const memorySessionId = (context: string, trajectory: number, k: number) => `${context}/t${trajectory}/m${k}`;
export const answerSessionId = (context: string, trajectory: number, question: string) =>
  `${context}/t${trajectory}/q${question}`;
