/** The state that a stopped run goes on from: what was kept, held against what folder and learner have by now. */
import { UmaError } from "../../base/errors.ts";
import type { TrainingDeps } from "./deps.ts";
import { isComplete } from "./is-complete.ts";
import { rewound } from "./rewound.ts";
import type { TrainingState, Weights } from "./state.ts";
import { weightsVersion } from "./weights-version.ts";

/** Throws `config` when the model that training started from is another one now. */
export async function resumedState(kept: TrainingState, deps: TrainingDeps): Promise<TrainingState> {
  if (kept.halted)
    deps.tell({
      kind: "notice",
      sentence: `The run was halted (${kept.halted.reason}) and is tried again from there.`,
    });
  let state: TrainingState = { ...kept, halted: null };
  await refuseOtherStart(state, deps);
  if ((state.saved?.update ?? 0) < state.update) state = rewound(state, deps);
  else if (!(await isWhole(state.weights, deps)) && state.update > 0 && state.next !== "publish") {
    deps.tell({
      kind: "notice",
      sentence: `The weights in ${state.weights.folder} are not what was published; they are published again.`,
    });
    state = rewound(state, deps);
  }
  for (const log of Object.values(deps.lines)) log.cutBack(state.update);
  // more updates may be asked for than when it was complete
  if (state.next === null && !isComplete(state, deps.recipe)) state = { ...state, next: "collect" };
  return state;
}

async function refuseOtherStart(state: TrainingState, { first, recipe }: TrainingDeps): Promise<void> {
  const start = [state.weights, state.previous, state.saved?.previous].find((weights) => weights?.update === 0);
  if (!start || start.version === first.weights.version) return;
  throw new UmaError(
    "config",
    `${recipe.model} is not the model that this run started from: its weights have changed`,
    {
      fix: "restore the model, or start a new run with --out",
    },
  );
}

async function isWhole({ folder, version }: Weights, { recipe }: TrainingDeps): Promise<boolean> {
  if (recipe.sampler !== "in-process" || folder === null) return true;
  return (await weightsVersion(folder).catch(() => null)) === version;
}
