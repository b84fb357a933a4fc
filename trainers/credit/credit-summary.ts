/** What an update's credit amounts to: how many sessions have a signal, which groups have no spread, and why there are nulls. */
import type { CreditLog } from "../../evals/credit-log.ts";
import type { Stage } from "../../nodes/session/record.ts";

export interface StratumCredit {
  readonly sessions: number;
  /** With a reward. */
  readonly rewarded: number;
  /** With an advantage. */
  readonly withSignal: number;
  /** Of these, with an advantage of exactly 0. */
  readonly zero: number;
}

export interface CreditSummary {
  readonly strata: Readonly<Record<Stage, StratumCredit>>;
  /** Groups with a signal, and those in which every advantage is exactly 0: all rewards were the same. */
  readonly groups: { readonly compared: number; readonly withoutSpread: number };
  /** Of the compared groups; null when nothing was compared. */
  readonly zeroVarianceShare: number | null;
  /** Sessions without a reward, and without an advantage, by reason. */
  readonly nulls: { readonly R: Readonly<Record<string, number>>; readonly A: Readonly<Record<string, number>> };
}

export function creditSummary({ rewards, advantages }: Pick<CreditLog, "rewards" | "advantages">): CreditSummary {
  const A = new Map(advantages.map((line) => [line.session, line.A]));
  const stratum = (stage: Stage): StratumCredit => {
    const own = rewards.filter((line) => line.stage === stage);
    const values = own.flatMap(({ session }) => A.get(session) ?? []);
    return {
      sessions: own.length,
      rewarded: own.filter(({ R }) => R !== null).length,
      withSignal: values.length,
      zero: values.filter((value) => value === 0).length,
    };
  };
  const groups = new Map<string, number[]>();
  for (const line of advantages) {
    if (line.A === null) continue;
    const held = groups.get(line.group);
    if (held) held.push(line.A);
    else groups.set(line.group, [line.A]);
  }
  const withoutSpread = [...groups.values()].filter((values) => values.every((value) => value === 0)).length;
  return {
    strata: { memory: stratum("memory"), qa: stratum("qa") },
    groups: { compared: groups.size, withoutSpread },
    zeroVarianceShare: groups.size === 0 ? null : withoutSpread / groups.size,
    nulls: { R: countReasons(rewards), A: countReasons(advantages) },
  };
}

function countReasons(lines: readonly { readonly reason: string | null }[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { reason } of lines) if (reason !== null) counts[reason] = (counts[reason] ?? 0) + 1;
  return counts;
}
