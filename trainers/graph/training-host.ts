/** Where the trainer graph's nodes find what is alive: learner, threads and lock are no state, and a killed process makes them again. */
import type { TrainingDeps } from "../run/deps.ts";
import type { Training } from "../run/open-training.ts";
import type { TrainingState } from "../run/state.ts";
import type { Trainer } from "./state.ts";

export interface TrainingHost {
  /** Opens the run that the state names, new or to be gone on with, and says where it stands. */
  open(state: Trainer): Promise<{ readonly folder: string; readonly training: TrainingState }>;
  /** Of an open run. Throws `conflict` when this process has not opened it. */
  deps(state: Trainer): TrainingDeps;
  /** Asked between two nodes, after `deps(state).stopping()`: true ends the run in order, to be gone on with. */
  enough?(state: TrainingState): boolean;
  /** The run is at its end, was halted, or shall stop. */
  close(state: Trainer): Promise<void>;
}

/** Of one run that somebody else opens and closes. */
export const hostOf = (
  { deps, first, resumed }: Training,
  { enough }: Pick<TrainingHost, "enough"> = {},
): TrainingHost => ({
  open: async ({ training }) => ({ folder: deps.folder, training: training ? await resumed(training) : first }),
  deps: () => deps,
  ...(enough && { enough }),
  close: async () => {},
});
