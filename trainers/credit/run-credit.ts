/** Credit of a whole run folder: from what was read, through Eqs. 3–6, to a line per session and tables per context. */
import { type CreditLog, creditBasis, type RewardLine } from "../../evals/credit-log.ts";
import { assignCredit } from "../advantages/assign-credit.ts";
import type { Credit } from "../advantages/credit-rule.ts";
import { estimators } from "../advantages/index.ts";
import { liftEstimator } from "../advantages/lift-estimator.ts";
import { type RewardTables, rewardTables, type SessionReward, sessionsOf } from "../rewards/reward-tables.ts";
import type { Cells } from "../rewards/session-grid.ts";
import type { Table } from "../rewards/table.ts";
import { callCounts } from "../rewards/tool-validity.ts";
import type { CreditOptions } from "./credit-options.ts";
import { groupName } from "./group-name.ts";
import type { SampledUpdate } from "./read-update.ts";

export interface ContextCredit {
  readonly context: string;
  readonly tables: RewardTables;
  /** [G][N] */
  readonly A_mem: Table;
  /** [G][M] */
  readonly A_qa: Table;
}

export interface RunCredit {
  readonly options: CreditOptions;
  readonly contexts: readonly ContextCredit[];
  /** By session id. */
  readonly credits: ReadonlyMap<string, Credit>;
  /** As it is written into the folder. */
  readonly log: CreditLog;
}

/** A pure function of its arguments: the same log and options give the same credit, to the bit. */
export function runCredit({ run, contexts, scores }: SampledUpdate, options: CreditOptions): RunCredit {
  const rule = liftEstimator(estimators[options.estimator], options);
  const credits = assignCredit(rule, contexts, options.plan);
  const found = contexts.map((sampled): ContextCredit => {
    const tables = rewardTables(sampled, options.rewards);
    const advantages = (cells: Cells<{ readonly id: string }>): Table =>
      cells.map((row) => row.map((session) => session && (credits.get(session.id)?.advantage ?? null)));
    return {
      context: sampled.context.id,
      tables,
      A_mem: advantages(tables.grid.mem),
      A_qa: advantages(tables.grid.qa),
    };
  });
  const rewards = found.flatMap(({ tables }) => sessionsOf(tables).map((reward) => ({ reward, tables })));
  return {
    options,
    contexts: found,
    credits,
    log: {
      options: {
        v: 1,
        estimator: options.estimator,
        schedule: { ...options.plan.schedule, update: options.plan.update },
        rewards: options.rewards,
        advantages: options.advantages,
        sessions: rewards.length,
        basis: creditBasis(run.records, scores),
      },
      rewards: rewards.map(({ reward }) => rewardLine(reward, options)),
      advantages: rewards.map(({ reward: { session } }) => {
        const { advantage: A, reason } = credits.get(session.id)!;
        return { session: session.id, group: groupName(session, options), A, reason };
      }),
    },
  };
}

function rewardLine(
  { session, stage, r_tool, r_outcome, R, reason }: SessionReward,
  options: CreditOptions,
): RewardLine {
  const { id, context, trajectory, position, question } = session;
  const calls = callCounts(session, options.rewards);
  return { session: id, context, trajectory, stage, position, question, calls, r_tool, r_outcome, R, reason };
}
