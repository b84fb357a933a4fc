/** Makes the new weights ready to be sampled from, and clears away those that nobody needs any more. */
import { existsSync } from "node:fs";
import { UmaError } from "../../../base/errors.ts";
import { clearCheckpoints } from "../clear-checkpoints.ts";
import type { TrainingDeps, TrainingStep } from "../deps.ts";
import { rewound } from "../rewound.ts";
import { type Weights, weightsName } from "../state.ts";
import { Behind, checkpointFolder } from "../training-learner.ts";
import { weightsVersion } from "../weights-version.ts";

export const publishStep: TrainingStep = async (state, deps) => {
  const { update, saved } = state;
  let path: string;
  try {
    path = await deps.learner.use({ update, saved, after: update }, async ({ model }) => {
      const sampler = await model.publish({ name: weightsName({ update }), signal: deps.signal });
      return sampler.weightVersion;
    });
  } catch (thrown) {
    if (thrown instanceof Behind) return rewound(state, deps);
    throw thrown;
  }
  const weights = await published(update, path, deps);
  const next = { ...state, weights, previous: state.weights, underWay: null, next: "evaluate" as const };
  clearCheckpoints(next, deps);
  return next;
};

async function published(update: number, path: string, { learner, recipe }: TrainingDeps): Promise<Weights> {
  const folder = learner.checkpoints === null ? null : checkpointFolder(learner.checkpoints, path);
  if (recipe.sampler === "learner") return { update, source: path, version: path, folder };
  if (folder === null || !existsSync(folder))
    throw new UmaError(
      "config",
      `the weights were published as ${path}, and ${folder ?? "no folder of this machine"} is not there`,
      {
        fix: "the embedded policy samples from the learner's checkpoint folder: run the learner here, or set sampler: learner",
      },
    );
  return { update, source: folder, version: await weightsVersion(folder), folder };
}
