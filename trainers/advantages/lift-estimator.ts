/** From an estimator to a credit rule: records and scores → reward tables → advantage tables → a credit per session. */
import { UmaError } from "../../base/errors.ts";
import type { RewardOptions } from "../rewards/reward-options.ts";
import { rewardTables, sessionsOf } from "../rewards/reward-tables.ts";
import type { Credit, CreditRule } from "./credit-rule.ts";
import type { AdvantageOptions, Estimator } from "./estimator.ts";

export interface LiftOptions {
  readonly rewards: RewardOptions;
  readonly advantages: AdvantageOptions;
}

export function liftEstimator(estimator: Estimator, options: LiftOptions): CreditRule {
  const { name, paper, schedules } = estimator;
  return {
    name,
    paper,
    ...(schedules && { schedules }),
    assign(update) {
      const tables = update.map((sampled) => rewardTables(sampled, options.rewards));
      const estimates = estimator.estimate(tables, options.advantages);
      const credits = new Map<string, Credit>();
      for (const [c, { A_mem, A_qa }] of estimates.entries()) {
        for (const { session, stage, i, column, reason } of sessionsOf(tables[c]!)) {
          if (credits.has(session.id))
            throw new UmaError("input", `${session.id} stands in two contexts of one update`);
          const advantage = (stage === "memory" ? A_mem : A_qa)[i]![column]!;
          credits.set(session.id, { advantage, reason: advantage === null ? (reason ?? "lone-reward") : null });
        }
      }
      return credits;
    },
  };
}
