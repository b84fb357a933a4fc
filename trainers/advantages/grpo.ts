/**
 * Plain GRPO over final outcomes: a trajectory's return is the mean outcome of its answers; it is compared with its
 * siblings' and given to every session of the trajectory (the "standard GRPO" of Uni-Mem App. E.2).
 *
 * A session that has no reward of its own gets none here either, and r_tool plays no part.
 */
import { UmaError } from "../../base/errors.ts";
import { meanOfKnown } from "../rewards/session-rewards.ts";
import type { Table } from "../rewards/table.ts";
import { defineEstimator } from "./estimator.ts";
import { standardize } from "./standardize.ts";

export const grpo = defineEstimator({
  name: "grpo",
  paper: "DeepSeekMath §4.1.2; Uni-Mem App. E.2",
  /** Siblings are the trajectories of one context, so `memoryGroup: "per-update"` is refused. */
  estimate(update, options) {
    if (options.memoryGroup === "per-update") {
      throw new UmaError("config", "grpo compares the trajectories of one context, got memoryGroup per-update", {
        fix: "leave memoryGroup out, or choose task-stratified",
      });
    }
    return update.map(({ R_mem, R_qa, r_outcome }) => {
      const A = standardize(r_outcome.map(meanOfKnown), options); // one return per trajectory i
      return { A_mem: spread(A, R_mem), A_qa: spread(A, R_qa) };
    });
  },
});

const spread = (A: readonly (number | null)[], R: Table): Table =>
  R.map((row, i) => row.map((reward) => (reward === null ? null : A[i]!)));
