/**
 * r_outcome of a QA session (UMA Eq. 3): the benchmark's own metric, by name, or the published code's rule.
 *
 * Null where there is no score (a failed session, a failed judge, a question without a gold) and never zero: an answer
 * that nobody could judge is not a wrong one. An answer that was not given is one: it scores 0.
 */
import { UmaError } from "../../base/errors.ts";
import type { ScoreLine } from "../../evals/run-folder.ts";
import type { SessionRecord } from "../../nodes/session/record.ts";
import type { RewardOptions } from "./reward-options.ts";
import { isCutShort } from "./tool-validity.ts";
import { publishedAnswer } from "./uma-code/published-answer.ts";
import { publishedOutcome } from "./uma-code/published-outcome.ts";

export type OutcomeOptions = Pick<RewardOptions, "outcome" | "dataSource" | "answerWindow" | "formatBonus">;

/** The outcome of each QA session of one context. Throws `input` for two scores of one session. */
export function outcomes(
  scores: readonly ScoreLine[],
  options: OutcomeOptions,
): (record: SessionRecord) => number | null {
  const lines = new Map(scores.map((line) => [line.session, line]));
  if (lines.size < scores.length)
    throw new UmaError("input", "two scores for one session", { fix: "score the run again" });
  return (record) => {
    const line = lines.get(record.id);
    if (!line || isCutShort(record)) return null;
    const score = options.outcome === "uma-code" ? published(line, record, options) : metricOf(line, options.outcome);
    return score === null ? null : score + formatBonus(record, options);
  };
}

function metricOf(line: ScoreLine, metric: string): number | null {
  if (!Object.hasOwn(line.metrics, metric)) {
    throw new UmaError("config", `${line.session} has no score "${metric}"`, {
      fix: `use one of ${Object.keys(line.metrics).join(", ")}, or score the run with it first`,
    });
  }
  const score = line.metrics[metric]!;
  if (score !== null && !Number.isFinite(score)) {
    throw new UmaError("input", `${line.session}: expected a number or null as "${metric}", got ${score}`);
  }
  return score;
}

function published({ gold }: ScoreLine, record: SessionRecord, { dataSource, answerWindow }: OutcomeOptions) {
  return gold === null ? null : publishedOutcome(dataSource!, publishedAnswer(record.answer ?? "", answerWindow), gold);
}

const formatBonus = (record: SessionRecord, { formatBonus, answerWindow }: OutcomeOptions) =>
  formatBonus > 0 && publishedAnswer(record.answer ?? "", answerWindow) !== null ? formatBonus : 0;
