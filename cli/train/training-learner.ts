/** The learner that a run is given: our own service for as long as it lasts, or one that is running already. */
import { UmaError } from "../../base/errors.ts";
import { refuseSilence } from "../../learner/client/refuse-silence.ts";
import { profileFrom } from "../../learner/engines/engine-profiles.ts";
import { modelPlace } from "../../trainers/recipes/model-place.ts";
import type { RlRecipe } from "../../trainers/recipes/recipe.ts";
import type { LearnerPlace } from "../../trainers/run/open-training.ts";
import { serviceAt } from "../learner/service-state.ts";
import { type EmbeddedLearner, startEmbeddedLearner } from "./embedded-learner.ts";
import type { TrainFlags } from "./train-flags.ts";

export const isEmbedded = ({ learner }: Pick<TrainFlags, "learner">): boolean => learner === "embedded";

export interface LearnerOptions {
  readonly folder: string;
  readonly recipe: RlRecipe;
  readonly flags: Pick<TrainFlags, "learner" | "apiKey" | "profile" | "device" | "threads" | "wait">;
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
}

/** Throws `config` for what cannot go together or does not start, `provider` where nothing answers. */
export async function openLearner(options: LearnerOptions): Promise<EmbeddedLearner> {
  const { folder, recipe, flags, say, signal } = options;
  const { learner, device, threads, wait } = flags;
  if (isEmbedded(flags)) {
    const own = { folder, device, threads, wait, say, signal };
    return startEmbeddedLearner({ ...own, model: modelPlace(recipe.model), loraRank: recipe.loraRank });
  }
  await refuseSilence(learner);
  const checkpoints = serviceAt(learner)?.checkpoints ?? null;
  if (recipe.sampler === "in-process" && checkpoints === null)
    throw new UmaError(
      "config",
      `${recipe.name} samples in this process, from the folders that the learner publishes, and where ${learner} keeps them is not known`,
      { fix: "let the learner sample with --set sampler=learner, or take --learner embedded" },
    );
  return { place: { baseURL: learner, checkpoints, ...wireOf(flags) }, close: async () => {} };
}

function wireOf({ apiKey, profile }: LearnerOptions["flags"]): Partial<LearnerPlace> {
  const key = apiKey ?? process.env.TINKER_API_KEY;
  return {
    ...(key !== undefined && key !== "" && { apiKey: key }),
    ...(profile !== undefined && { profile: profileFrom(profile) }),
  };
}
