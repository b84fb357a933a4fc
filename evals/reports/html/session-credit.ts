/** The credit of a session as the page shows it: the terms of its reward, and what it was compared within. */
import type { CreditLog, RewardLine } from "../../credit-log.ts";

export interface SessionCredit extends Pick<RewardLine, "calls" | "r_tool" | "r_outcome" | "R" | "reason"> {
  readonly A: number | null;
  readonly group: string | null;
}

/** Empty for a run without credit. */
export function creditBySession(credit: CreditLog | null): ReadonlyMap<string, SessionCredit> {
  const advantages = new Map(credit?.advantages.map((line) => [line.session, line]));
  return new Map(
    credit?.rewards.map(({ session, calls, r_tool, r_outcome, R, reason }) => {
      const advantage = advantages.get(session);
      const { A = null, group = null } = advantage ?? {};
      return [session, { calls, r_tool, r_outcome, R, A, group, reason: reason ?? advantage?.reason ?? null }];
    }),
  );
}
