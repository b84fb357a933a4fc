/** `umagraph/learner`: a client of Tinker-compatible training services, profiles of the engines, and probes that find out what one does. */
export type { Adam } from "./client/adam.ts";
export { type CheckPublishedOptions, checkPublished, type PublishedCheck } from "./client/check-published.ts";
export type { Checkpoint } from "./client/checkpoints.ts";
export type { CreateModel, Lora } from "./client/create-model.ts";
export {
  type Capabilities,
  createLearnerClient,
  type LearnerClient,
  type LearnerClientOptions,
} from "./client/learner-client.ts";
export { defaultLimits, type Limits } from "./client/limits.ts";
export type { ModelInfo } from "./client/model-info.ts";
export type { SamplerWeights } from "./client/open-sampler.ts";
export type { Sample, SampleRequest, Sampler } from "./client/sampler.ts";
export type { LossConfig, SaveOptions, StepOutput, Stoppable, TrainedModel } from "./client/trained-model.ts";
export { type Examination, type ExamineOptions, examine } from "./doctor/examine.ts";
export { type ProbeLine, type ProbeName, probeNames } from "./doctor/probe-line.ts";
export { type AdamField, adamFields, EngineProfile, klKinds } from "./engines/engine-profile.ts";
export { type ProfileName, profileFrom, profiles } from "./engines/engine-profiles.ts";
export type { Datum, LossInputs } from "./wire/datum.ts";
export type { ForwardOutput } from "./wire/forward-output.ts";
