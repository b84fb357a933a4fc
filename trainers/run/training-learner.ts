/** The learner as a training run uses it: one model, always known by how many updates it has had. */
import type { TrainedModel } from "../../learner/client/trained-model.ts";
import type { Profile } from "../objective/profile.ts";
import type { ReferenceScores } from "../update/score-update.ts";
import type { TrainingState, Weights } from "./state.ts";

export interface TrainingLearner {
  readonly profile: Profile;
  /** The model after `update` updates: the live one, or one made from `saved`. */
  modelAt(update: number, saved: TrainingState["saved"]): Promise<TrainedModel>;
  /** The live model has had one more. */
  stepped(update: number): void;
  /** Scores by the frozen model that training started from. */
  reference(): Promise<ReferenceScores>;
  /** The live model's weights, ready to be sampled from. */
  publish(update: number): Promise<Weights>;
  /** Forgets the live model: it is in doubt, or its server is gone. */
  drop(): Promise<void>;
  close(): Promise<void>;
}
