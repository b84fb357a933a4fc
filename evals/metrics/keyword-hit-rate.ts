/**
 * Keyword hit rate, for summaries (BookSum): the share of the gold's comma-separated keywords that the prediction holds,
 * in any case and inside other words.
 *
 * A gold without keywords cannot be scored and gives null; `uma-code` gives 1.
 */
import type { Metric } from "../benchmark.ts";
import { extractAnswer } from "./extract-answer.ts";
import type { ProfileOptions } from "./profile.ts";

export function scoreKeywordHitRate(prediction: string, gold: string, options: ProfileOptions = {}): number | null {
  const text = prediction.toLowerCase();
  const keywords = gold
    .split(",")
    .map((keyword) => keyword.trim().toLowerCase())
    .filter((keyword) => keyword !== "");
  if (keywords.length === 0) return options.profile === "uma-code" ? 1 : null;
  return keywords.filter((keyword) => text.includes(keyword)).length / keywords.length;
}

export const keywordHitRate: Metric = {
  name: "keyword_hit_rate",
  score: (prediction, question) =>
    question.answer === null ? null : scoreKeywordHitRate(extractAnswer(prediction), question.answer),
};
