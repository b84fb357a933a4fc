/** Scores an update before its first step: π_θold by the learner itself, π_ref by the frozen reference. */
import type { Sampler } from "../../learner/client/sampler.ts";
import type { Stoppable, TrainedModel } from "../../learner/client/trained-model.ts";
import type { Profile } from "../objective/profile.ts";
import { scoreSessions, withScores } from "../objective/scoring.ts";
import type { TrainingSession } from "../objective/training-session.ts";

/** What scores sessions by the frozen reference: a sampler prompt by prompt, or a model all at once. */
export type ReferenceScores = Pick<Sampler, "computeLogprobs"> | Pick<TrainedModel, "forward">;

/** The learner's own log-probabilities as π_θold, so that ratios do not mix its kernels with the sampler's. */
export async function scoreOld(
  model: Pick<TrainedModel, "forward">,
  sessions: readonly TrainingSession[],
  profile: Profile,
  options: Stoppable = {},
): Promise<TrainingSession[]> {
  const pass = scoreSessions(sessions, profile);
  const { logprobs } = await model.forward(pass.datums(), pass.lossFn, pass.config, options);
  return withScores(sessions, "old", logprobs);
}

/**
 * π_ref of the frozen weights: from a sampler as prompt log-probabilities, which every engine with a sampler gives, a call per
 * sequence; from a model that nobody trains in one forward pass.
 */
export async function scoreReference(
  reference: ReferenceScores,
  sessions: readonly TrainingSession[],
  profile: Profile,
  options: Stoppable = {},
): Promise<TrainingSession[]> {
  if ("forward" in reference) {
    const pass = scoreSessions(sessions, profile);
    const { logprobs } = await reference.forward(pass.datums(), pass.lossFn, pass.config, options);
    return withScores(sessions, "ref", logprobs);
  }
  const parts = sessions.flatMap((session) => session.parts);
  const scores = await Promise.all(parts.map(({ ids }) => reference.computeLogprobs(ids, options)));
  return withScores(
    sessions,
    "ref",
    scores.map((tokens) => tokens.subarray(1)),
  );
}
