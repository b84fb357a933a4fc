/** The learner that a run is given: our own service for as long as it lasts, or one that is running already. */
import { refuseSilence } from "../../learner/client/refuse-silence.ts";
import { profileFrom } from "../../learner/engines/engine-profiles.ts";
import type { LearnerPlace } from "../../trainers/run/learner-place.ts";
import { serviceAt } from "../learner/service-state.ts";
import { type EmbeddedLearner, startEmbeddedLearner } from "./embedded-learner.ts";
import type { TrainFlags } from "./train-flags.ts";

export const isEmbedded = ({ learner }: Pick<TrainFlags, "learner">): boolean => learner === "embedded";

export interface LearnerOptions {
  /** The run's. */
  readonly folder: string;
  /** What it has to serve: a folder, or a hub id. */
  readonly model: string;
  /** Null trains all parameters. */
  readonly loraRank: number | null;
  readonly flags: Pick<TrainFlags, "learner" | "apiKey" | "profile" | "device" | "threads" | "wait">;
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
}

/** Throws `config` for what cannot go together or does not start, `provider` where nothing answers. */
export async function openLearner(options: LearnerOptions): Promise<EmbeddedLearner> {
  const { folder, model, loraRank, flags, say, signal } = options;
  const { learner, device, threads, wait } = flags;
  if (isEmbedded(flags)) return startEmbeddedLearner({ folder, model, loraRank, device, threads, wait, say, signal });
  await refuseSilence(learner);
  const checkpoints = serviceAt(learner)?.checkpoints ?? null;
  return { place: { baseURL: learner, checkpoints, ...wireOf(flags) }, close: async () => {} };
}

function wireOf({ apiKey, profile }: LearnerOptions["flags"]): Partial<LearnerPlace> {
  const key = apiKey ?? process.env.TINKER_API_KEY;
  return {
    ...(key !== undefined && key !== "" && { apiKey: key }),
    ...(profile !== undefined && { profile: profileFrom(profile) }),
  };
}
