/**
 * One update's credits: what the rule gives, with the stages that the schedule freezes left out of the loss.
 *
 * Freezing is done here for all rules, so that none can forget it: the published Two-Stage run marked its sessions as not
 * trained, and nothing read the mark.
 */
import { UmaError } from "../../base/errors.ts";
import type { SampledContext } from "../rewards/session-grid.ts";
import type { Credit, CreditRule } from "./credit-rule.ts";
import { type Schedule, trainedStages } from "./schedule.ts";

export interface UpdatePlan {
  readonly schedule: Schedule;
  /** 0-based. */
  readonly update: number;
}

/** Throws `config` when the rule is not defined for the schedule, `input` when it leaves a session without an answer. */
export function assignCredit(
  rule: CreditRule,
  update: readonly SampledContext[],
  plan: UpdatePlan,
): ReadonlyMap<string, Credit> {
  if (rule.schedules && !rule.schedules.includes(plan.schedule.kind)) {
    throw new UmaError("config", `${rule.name} is not defined for a ${plan.schedule.kind} schedule`, {
      fix: `use the schedule ${rule.schedules.join(" or ")}`,
    });
  }
  const trained = new Set(trainedStages(plan.schedule, plan.update));
  const assigned = rule.assign(update);
  const credits = new Map<string, Credit>();
  for (const { id, stage } of update.flatMap((sampled) => sampled.records)) {
    const credit = assigned.get(id);
    if (!credit || !isUsable(credit))
      throw new UmaError("input", `${rule.name} gives ${id} no usable credit: ${JSON.stringify(credit)}`);
    credits.set(id, trained.has(stage) ? credit : { advantage: null, reason: credit.reason ?? "frozen-stage" });
  }
  return credits;
}

const isUsable = ({ advantage, reason }: Credit) =>
  advantage === null ? reason !== null : Number.isFinite(advantage) && reason === null;
