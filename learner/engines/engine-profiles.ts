/** The engines we know. What they do was read from their code and pages, not measured; a probe of the server has the last word. */
import { z } from "zod";
import { UmaError } from "../../base/errors.ts";
import { adamFields, EngineProfile, klKinds } from "./engine-profile.ts";

const hosted = {
  reduction: "sum",
  signedWeights: true,
  klExtension: null,
  clip: { unit: "ratio", defaults: { low: 0.8, high: 1.2 } },
  maskKey: null,
  accumulates: true,
  wire: "proto",
  idempotent: true,
  parallelChunks: true,
  fullFineTuning: "none",
  adam: adamFields,
  promptLogprobs: true,
} as const;

/**
 * SkyRL takes `weights` as the mask of every loss and would otherwise count the prompt as trained. Repeated calls are counted
 * twice (SkyRL #2035) and parallel chunks run in any order (#2048); of Adam's settings only the learning rate is used.
 */
const skyrl = {
  ...hosted,
  losses: ["cross_entropy", "importance_sampling", "ppo", "cispo", "gspo", "dppo"],
  maskKey: "weights",
  wire: "auto",
  idempotent: false,
  parallelChunks: false,
  fullFineTuning: "rank-0",
  adam: ["learning_rate"],
} as const;

export const profiles = {
  /** Our own learner on one machine. */
  embedded: {
    ...hosted,
    name: "embedded",
    losses: ["cross_entropy", "importance_sampling", "ppo", "cispo", "dro"],
    klExtension: { kinds: klKinds },
    fullFineTuning: "rank-0",
  },
  /** The hosted service. It refuses tensors it does not know. */
  tinker: { ...hosted, name: "tinker", losses: ["cross_entropy", "importance_sampling", "ppo", "cispo", "dro"] },
  "skyrl-fsdp": { ...skyrl, name: "skyrl-fsdp" },
  /** Reported to clear gradients at each forward_backward (SkyRL #2008), so that only the last call of an update counted. */
  "skyrl-megatron": { ...skyrl, name: "skyrl-megatron", accumulates: false },
  /** Finds trained tokens by `mask`, and without one by which advantages are not 0. Trains all parameters of one model. */
  "verl-tinker": {
    ...hosted,
    name: "verl-tinker",
    losses: ["cross_entropy", "importance_sampling", "ppo", "cispo", "dro"],
    maskKey: "mask",
    wire: "json",
    idempotent: false,
    parallelChunks: false,
    fullFineTuning: "always",
    adam: ["learning_rate", "beta1", "beta2", "eps", "weight_decay"],
  },
  /** Orders what is queued, but does not wait for a number that has not come yet. */
  tuft: {
    ...hosted,
    name: "tuft",
    losses: ["cross_entropy", "importance_sampling", "ppo", "cispo", "dro"],
    clip: { unit: "ratio", defaults: { low: 0.9, high: 1.1 } },
    idempotent: false,
    parallelChunks: false,
  },
} as const satisfies Record<string, EngineProfile>;

export type ProfileName = keyof typeof profiles;

/** A shipped profile by name, or one written down by a probe. Throws `config`. */
export function profileFrom(given: unknown): EngineProfile {
  if (typeof given === "string") {
    if (Object.hasOwn(profiles, given)) return profiles[given as ProfileName];
    throw new UmaError("config", `there is no learner profile named ${JSON.stringify(given)}`, {
      fix: `choose one of: ${Object.keys(profiles).join(", ")}`,
    });
  }
  const parsed = EngineProfile.safeParse(given);
  if (parsed.success) return parsed.data;
  throw new UmaError("config", `not a learner profile: ${z.prettifyError(parsed.error)}`, {
    fix: "start from a shipped profile and change what differs",
  });
}
