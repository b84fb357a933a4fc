/**
 * The state as it was when the learner's was last saved: what came after is done again, from the records where there are any.
 *
 * Metrics and evaluations of the updates that are done again are cut off and written anew, the same.
 */
import type { TrainingDeps } from "./deps.ts";
import type { TrainingState } from "./state.ts";

export function rewound(state: TrainingState, deps: Pick<TrainingDeps, "first" | "lines" | "tell">): TrainingState {
  const { saved } = state;
  const to = saved?.update ?? 0;
  const again = state.update - to;
  if (again > 0)
    deps.tell({
      kind: "notice",
      sentence: `The learner's last saved state is after update ${to}: ${again === 1 ? `update ${state.update} is` : `updates ${to + 1} to ${state.update} are`} done again from the records, without sampling.`,
    });
  for (const log of Object.values(deps.lines)) log.cutBack(to);
  if (!saved) return { ...deps.first, best: state.best };
  const { update, weights, previous, guards, sampledTokens } = saved;
  return { ...state, update, weights, previous, guards, sampledTokens, underWay: null, halted: null, next: "publish" };
}
