/** The ablation Global Group (UMA §4.4): the same call with one group for all sessions of a context, memory and QA alike. */
import { defineEstimator } from "./estimator.ts";
import { asOneGroup } from "./group.ts";

export const globalGroup = defineEstimator({
  name: "global-group",
  paper: "UMA §4.4, Table 1 (Global Group)",
  /** `memoryGroup: "per-update"` makes it one group over all contexts. */
  estimate(update, options) {
    const tables = update.map(({ R_mem, R_qa }) => [R_mem, R_qa]);
    const A =
      options.memoryGroup === "per-update"
        ? asOneGroup(tables.flat(), options)
        : tables.flatMap((context) => asOneGroup(context, options));
    return update.map((_, c) => ({ A_mem: A[2 * c]!, A_qa: A[2 * c + 1]! }));
  },
});
