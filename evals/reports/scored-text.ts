/** How much of what was asked has a score: of questions, or of answers where several trajectories gave one each. */
import { fraction, whole } from "./format-number.ts";
import type { MetricValue } from "./summary/metric-values.ts";

/** "31/32", or "126/128 over 32": 126 of 128 answers, over 32 questions. */
export const scoredText = ({ scored, n, answers }: Pick<MetricValue, "scored" | "n" | "answers">): string =>
  answers ? `${fraction(answers.scored, answers.asked)} over ${whole(n)}` : fraction(scored, n);
