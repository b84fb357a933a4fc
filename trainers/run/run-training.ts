/** A training run without a graph: the same steps in a plain loop, for programs and tests. */

import { openTraining, type TrainingOptions } from "./open-training.ts";
import { nextStep, runStep } from "./run-step.ts";
import type { TrainingState } from "./state.ts";

/** Gives the state in which the run ended or was stopped. */
export async function runTraining(options: TrainingOptions): Promise<TrainingState> {
  const training = await openTraining(options);
  try {
    let state = training.first;
    for (let step = nextStep(state); step !== null; step = nextStep(state)) {
      if (training.deps.stopping()) break;
      state = await runStep(step, state, training.deps);
    }
    return state;
  } finally {
    await training.close();
  }
}
