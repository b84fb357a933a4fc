/** Advantages of the rewarded sessions (Eqs. 5–6), written into the update's folders beside their rewards. */
import { join } from "node:path";
import { writeCreditLog } from "../../../evals/credit-log.ts";
import { creditSummary } from "../../credit/credit-summary.ts";
import type { TrainingStep } from "../deps.ts";
import { runCredits } from "../read-under-way.ts";

export const advantageStep: TrainingStep = async (state, deps) => {
  const underWay = state.underWay!;
  const credits = await runCredits(underWay, deps);
  for (const [at, { log }] of credits.entries()) writeCreditLog(join(deps.folder, underWay.folders[at]!), log);
  const summaries = credits.map(({ log }) => creditSummary(log));
  const sum = (value: (summary: (typeof summaries)[number]) => number) =>
    summaries.reduce((total, summary) => total + value(summary), 0);
  const compared = sum(({ groups }) => groups.compared);
  return {
    ...state,
    underWay: {
      ...underWay,
      zeroAdvantage: sum(({ strata }) => strata.memory.zero + strata.qa.zero),
      noAdvantage: sum(({ nulls }) => Object.values(nulls.A).reduce((total, count) => total + count, 0)),
      flatGroups: compared === 0 ? null : sum(({ groups }) => groups.withoutSpread) / compared,
    },
    next: "batch",
  };
};
