/** Rewards of the sampled sessions (Eqs. 3–4), their means by stratum, and what guard rails make of them. */
import type { Stage } from "../../../nodes/session/record.ts";
import { rewardTables, sessionsOf } from "../../rewards/reward-tables.ts";
import type { TrainingStep } from "../deps.ts";
import { rewardGuards } from "../guards.ts";
import { creditOf } from "../read-under-way.ts";

export const rewardStep: TrainingStep = async (state, deps) => {
  const underWay = state.underWay!;
  const rewards = (await creditOf(underWay, deps)).flatMap(({ sampled, options }) =>
    sampled.contexts.flatMap((context) => sessionsOf(rewardTables(context, options.rewards))),
  );
  const mean = (stage: Stage, value: "R" | "r_tool" | "r_outcome"): number | null => {
    const values = rewards.flatMap((reward) => (reward.stage === stage ? (reward[value] ?? []) : []));
    return values.length === 0 ? null : values.reduce((sum, one) => sum + one, 0) / values.length;
  };
  const means = {
    reward: { memory: mean("memory", "R"), qa: mean("qa", "R") },
    outcome: mean("qa", "r_outcome"),
    validity: { memory: mean("memory", "r_tool"), qa: mean("qa", "r_tool") },
  };
  const { counters, warnings, halted } = rewardGuards({ ...underWay, ...means }, state.guards, deps.recipe.guards);
  if (halted) return { ...state, halted };
  return {
    ...state,
    guards: counters,
    underWay: { ...underWay, ...means, warnings: [...warnings] },
    next: "advantage",
  };
};
