/** One step with its announcement, its clock and its stop: what the plain loop and the graph's nodes do alike. */
import type { TrainingDeps } from "./deps.ts";
import type { StepName, TrainingState } from "./state.ts";
import { trainingSteps } from "./steps/index.ts";
import { Stopped } from "./stopped.ts";

/** The next step of a run, or null: it is complete, or was halted. The graph's edges ask the same. */
export const nextStep = ({ next, halted }: TrainingState): StepName | null => (halted ? null : next);

/** Throws `Stopped` (see `isStop`) when the run was asked to stop; the state given stands then. */
export async function runStep(step: StepName, state: TrainingState, deps: TrainingDeps): Promise<TrainingState> {
  if (deps.stopping()) throw new Stopped();
  const update = step === "publish" || step === "evaluate" ? state.update : state.update + 1;
  deps.tell({ kind: "step", step, update });
  const { clock } = deps;
  const total = () => Object.values(clock).reduce((sum, seconds) => sum + seconds, 0);
  const begun = performance.now();
  const before = total();
  const after = await trainingSteps[step](state, deps);
  // what its calls to the learner took is on the clock under their own names
  const apart = total() - before;
  clock[step] = (clock[step] ?? 0) + Math.max(0, (performance.now() - begun) / 1_000 - apart);
  if (step === "evaluate") tellTiming(update, deps);
  return after;
}

function tellTiming(update: number, { clock, lines, sampling, tell }: TrainingDeps): void {
  const seconds = { ...clock };
  for (const name of Object.keys(clock)) delete clock[name];
  const tokens = update === 0 ? undefined : lines.metrics.last(update)?.tokens.sampled;
  const line = {
    update,
    seconds: Object.fromEntries(Object.entries(seconds).map(([name, value]) => [name, Number(value.toFixed(3))])),
    tokensPerSecond: tokens === undefined || !sampling.seconds ? null : Math.round(tokens / sampling.seconds),
  };
  sampling.seconds = null;
  lines.timing.append(line);
  tell({ kind: "timing", line });
}
