/** A model whose calls are on the clock, so that a slow update says what it waited for; encoding counts with the call that it is for. */
import type { TrainedModel } from "../../learner/client/trained-model.ts";
import type { ReferenceScores } from "../update/score-update.ts";

type Clock = Record<string, number>;
export type UpdatedModel = Pick<TrainedModel, "forward" | "forwardBackward" | "optimStep" | "saveState">;

/** Seconds go to `forward`, `gradient`, `optimizer` and `save`. */
export function timedModel(model: UpdatedModel, clock: Clock): UpdatedModel {
  return {
    forward: (...args) => timed("forward", clock, () => model.forward(...args)),
    forwardBackward: (...args) => timed("gradient", clock, () => model.forwardBackward(...args)),
    optimStep: (...args) => timed("optimizer", clock, () => model.optimStep(...args)),
    saveState: (...args) => timed("save", clock, () => model.saveState(...args)),
  };
}

/** Seconds of a reference that is a model go to `reference`; a sampler's calls are side by side, and none is apart. */
export const timedReference = (reference: ReferenceScores, clock: Clock): ReferenceScores =>
  "forward" in reference
    ? { forward: (...args) => timed("reference", clock, () => reference.forward(...args)) }
    : reference;

async function timed<Result>(name: string, clock: Clock, call: () => Promise<Result>): Promise<Result> {
  const begun = performance.now();
  try {
    return await call();
  } finally {
    clock[name] = (clock[name] ?? 0) + (performance.now() - begun) / 1_000;
  }
}
