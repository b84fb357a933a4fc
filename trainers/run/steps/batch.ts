/** Sessions and advantages as what is shipped: checked to be of the right weights, and whether there is anything to learn. */
import type { TrainingStep } from "../deps.ts";
import { sessionsToTrain } from "../read-under-way.ts";

export const batchStep: TrainingStep = async (state, deps) => {
  const underWay = state.underWay!;
  const sessions = await sessionsToTrain(underWay, deps);
  const withSignal = sessions.filter(({ advantage }) => advantage !== null);
  const skipped =
    withSignal.length === 0
      ? "no session has an advantage"
      : withSignal.every(({ advantage }) => advantage === 0)
        ? "every advantage is 0: within each group all rewards are the same"
        : null;
  return { ...state, underWay: { ...underWay, skipped }, next: "update" };
};
