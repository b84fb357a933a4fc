/** One step with its clock, its announcement and its stop: what the plain loop and the graph's nodes do alike. */
import type { TrainingDeps } from "./deps.ts";
import type { StepName, TrainingState } from "./state.ts";
import { trainingSteps } from "./steps/index.ts";

/** The next step of a run, or null: it is complete, or was halted. The graph's edges ask the same. */
export const nextStep = ({ next, halted }: TrainingState): StepName | null => (halted ? null : next);

export async function runStep(step: StepName, state: TrainingState, deps: TrainingDeps): Promise<TrainingState> {
  deps.tell({ kind: "step", step, update: state.underWay?.update ?? state.update });
  return trainingSteps[step](state, deps);
}
