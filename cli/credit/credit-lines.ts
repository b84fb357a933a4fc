/** Credit in words: with which options it was computed, what it amounts to, and why sessions have none. */

import type { CreditLog } from "../../evals/credit-log.ts";
import { fraction, percent, whole } from "../../evals/reports/format-number.ts";
import type { CreditOptions } from "../../trainers/credit/credit-options.ts";
import type { CreditSummary } from "../../trainers/credit/credit-summary.ts";
import type { FolderCredit } from "../../trainers/credit/folder-credit.ts";
import { type NoSignal, noSignal } from "../../trainers/rewards/no-signal.ts";

/** Absent is an en dash; four decimals, so that a number can be checked by hand. */
export const rewardText = (R: number | null) => (R === null ? "–" : R.toFixed(4).replace("-", "−"));
/** With its sign; a bare 0 is exactly 0, as in a group without spread. */
export function advantageText(A: number | null): string {
  if (A === null) return "–";
  if (A === 0) return "0";
  const text = Math.abs(A).toFixed(4);
  return Number(text) === 0 ? text : `${A > 0 ? "+" : "−"}${text}`;
}

export function optionLines({ estimator, rewards, advantages, plan }: CreditOptions): string[] {
  const { lambda, outcome, miss, repaired, emptySession, countCalls, formatBonus } = rewards;
  const each = lambda.memory === lambda.qa ? `${lambda.qa}` : `${lambda.memory} (memory), ${lambda.qa} (QA)`;
  const odd = [
    miss === "neither" ? "a miss counts in neither" : `a miss counts as ${miss}`,
    ...(repaired === "valid" ? [] : ["a mended call is invalid"]),
    `a session without a counted call has r_tool ${emptySession}`,
    ...(countCalls === "recorded" ? [] : ["opening tags are counted"]),
    ...(formatBonus === 0 ? [] : [`a boxed answer adds ${formatBonus}`]),
  ];
  const schedule = plan.schedule.kind === "two-stage" ? `, ${plan.update === 0 ? "memory" : "QA"} trained` : "";
  const lone = advantages.loneReward === "null" ? "" : ", a lone reward is its own advantage";
  return [
    `R = λ·r_tool + r_outcome, λ ${each}, r_outcome ${outcome}; ${odd.join("; ")}`,
    `A by ${estimator}${schedule}: ${advantages.memoryGroup} memory group, ${advantages.deviation} σ, ε ${advantages.eps_std}${lone}`,
  ];
}

export function summaryLines({ strata, groups, zeroVarianceShare, nulls }: CreditSummary): string[] {
  const stratum = (name: string, { sessions, rewarded, withSignal, zero }: CreditSummary["strata"]["qa"]) =>
    `${name}: ${whole(sessions)} sessions, ${fraction(rewarded, sessions)} with a reward, ${fraction(withSignal, sessions)} with an advantage, ${fraction(zero, withSignal)} of them exactly 0`;
  return [
    stratum("memory", strata.memory),
    stratum("QA", strata.qa),
    groups.withoutSpread === 0
      ? `groups: ${whole(groups.compared)} compared, none without spread`
      : `groups: ${whole(groups.compared)} compared, ${whole(groups.withoutSpread)} without spread (${percent(zeroVarianceShare)} %): all their advantages are 0`,
    ...reasonLines("no reward", nulls.R),
    ...reasonLines("no advantage", nulls.A),
  ];
}

const reasonLines = (what: string, reasons: Readonly<Record<string, number>>) =>
  Object.entries(reasons).map(([reason, count]) => `${what}: ${whole(count)} × ${reason} (${reasonText(reason)})`);

export const reasonText = (reason: string): string =>
  Object.hasOwn(noSignal, reason) ? noSignal[reason as NoSignal] : "a reason of the credit rule's own";

/** Where shown credit comes from. */
export function creditSource(from: FolderCredit["from"], { estimator, rewards }: CreditLog["options"]): string {
  const { lambda, outcome } = rewards as { lambda?: { memory: number; qa: number }; outcome?: string };
  const how = `${estimator}, λ ${lambda?.memory}${lambda?.memory === lambda?.qa ? "" : ` (memory), ${lambda?.qa} (QA)`}, outcome ${outcome}`;
  if (from === "folder") return `rewards and advantages as written in the folder: ${how}`;
  const why = from === "missing" ? "the folder has none" : "those in the folder are of an older log";
  return `rewards and advantages computed now with the defaults (${why}; umagraph rewards writes them): ${how}`;
}
