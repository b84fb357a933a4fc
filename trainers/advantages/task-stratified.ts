/** Task-Stratified GRPO, UMA §2.3.3, Eqs. 5–6: memory sessions form one group, QA sessions one per question. */
import { defineEstimator } from "./estimator.ts";
import { asOneGroup, byColumn } from "./group.ts";

export const taskStratified = defineEstimator({
  name: "task-stratified",
  paper: "UMA §2.3.3, Eqs. 5–6",
  estimate(update, options) {
    const R_mem = update.map((context) => context.R_mem);
    const A_mem =
      options.memoryGroup === "per-update"
        ? asOneGroup(R_mem, options) // Eq. 5, as its prose says
        : R_mem.flatMap((table) => asOneGroup([table], options)); // Eq. 5, as its sum over u, v says
    return update.map(({ R_qa }, c) => ({ A_mem: A_mem[c]!, A_qa: byColumn(R_qa, options) })); // Eq. 6, per question j
  },
});
