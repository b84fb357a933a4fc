/**
 * The ablation Two-Stage (UMA §4.4): memory and QA are trained one after the other, each with the groups of Eqs. 5–6.
 *
 * Half of it is the schedule, without which this would be task-stratified under another name; so it takes no other. The
 * stage that an update does not train gets no advantage at all (`assignCredit`), not an advantage that nobody reads.
 */
import { defineEstimator } from "./estimator.ts";
import { taskStratified } from "./task-stratified.ts";

export const twoStage = defineEstimator({
  name: "two-stage",
  paper: "UMA §4.4, Table 1 (Two-Stage)",
  schedules: ["two-stage"],
  estimate: taskStratified.estimate,
});
