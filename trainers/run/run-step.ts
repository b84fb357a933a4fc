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
  const begun = performance.now();
  const after = await trainingSteps[step](state, deps);
  deps.clock[step] = (deps.clock[step] ?? 0) + (performance.now() - begun) / 1_000;
  const sampled = state.underWay?.tokens.sampled;
  if (step === "update" && sampled !== undefined) deps.clock.tokens = sampled;
  if (step === "evaluate") tellTiming(update, deps);
  return after;
}

function tellTiming(update: number, { clock, lines, tell }: TrainingDeps): void {
  const { tokens, ...seconds } = clock;
  for (const name of Object.keys(clock)) delete clock[name];
  const collect = seconds.collect ?? 0;
  const line = {
    update,
    seconds: Object.fromEntries(Object.entries(seconds).map(([name, value]) => [name, Number(value.toFixed(3))])),
    tokensPerSecond: tokens === undefined || collect === 0 ? null : Math.round(tokens / collect),
  };
  lines.timing.append(line);
  tell({ kind: "timing", line });
}
