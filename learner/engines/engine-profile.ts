/**
 * What a learner engine does, as plain data: shipped for the engines we know, or measured by the doctor's probes.
 *
 * Servers of the protocol agree on routes and differ in what they compute. Everything that changes a gradient or a retry is
 * written down here; the objective compiler reads the first half, the client the second.
 *
 * The KL extension is this repository's own. It is loss `ppo` with two more tensors, `ref_logprobs` and `kl_weights`, and the
 * config numbers `kl_beta` and `kl_kind` (1 k1, 2 k2, 3 k3, 4 ρ·k3):
 *
 *     loss = −Σ_t [ min(ρ_t A_t, clip(ρ_t) A_t) − kl_beta · kl_weights_t · k_t ]
 *
 * `kl_weights` is c_s on trained tokens and 0 elsewhere, since Eq. 8 divides the penalty by |s| as it does the surrogate. Where it
 * is 0 the engine must leave k_t out rather than multiply: `ref_logprobs` may hold anything there.
 */
import { z } from "zod";

/** Names of `kl_kind` 1, 2, 3, 4 on the wire, in that order. */
export const klKinds = ["k1", "k2", "k3", "rho-k3"] as const;

export const adamFields = ["learning_rate", "beta1", "beta2", "eps", "weight_decay", "grad_clip_norm"] as const;
export type AdamField = (typeof adamFields)[number];

export const EngineProfile = z.strictObject({
  name: z.string().min(1),
  /** What the engine does with the per-token losses of a batch. Everything but a sum changes the weight of a session. */
  reduction: z.enum(["sum", "mean"]),
  /** Losses it computes, by their names on the wire. */
  losses: z.array(z.string()).readonly(),
  /** Whether cross-entropy takes negative weights as they are. */
  signedWeights: z.boolean(),
  klExtension: z.object({ kinds: z.array(z.enum(klKinds)).readonly() }).nullable(),
  clip: z.object({
    /** Whether thresholds are ratios (0.8, 1.2) or distances from 1 (0.2, 0.2). */
    unit: z.enum(["ratio", "distance"]),
    /** What the engine assumes when none are sent, as ratios; we always send them. */
    defaults: z.object({ low: z.number(), high: z.number() }),
  }),
  /** Name of the 0/1 tensor that tells `ppo` and `cispo` which tokens are trained; null = no such tensor is accepted. */
  maskKey: z.enum(["weights", "mask"]).nullable(),
  /** Whether gradients of several forward_backward calls add up before a step; if not, an update must go in one call. */
  accumulates: z.boolean(),

  /** Body of forward_backward; `auto` tries protobuf first and falls back to JSON. */
  wire: z.enum(["auto", "proto", "json"]),
  /** Whether a call that is sent twice under one sequence number is executed once. If not, the client never resends in doubt. */
  idempotent: z.boolean(),
  /** Whether calls are executed by sequence number whatever order they arrive in; only then are chunks sent side by side. */
  parallelChunks: z.boolean(),
  /**
   * How a model with all parameters trained is asked for: `rank-0` a LoRA of rank 0 · `always` there is nothing else ·
   * `parameterization` a body field of that name · `none` the engine trains LoRA only.
   */
  fullFineTuning: z.enum(["rank-0", "always", "parameterization", "none"]),
  /** Members of `adam_params` that it uses; the others are accepted and ignored. */
  adam: z.array(z.enum(adamFields)).readonly(),
  /** Whether the sampler scores prompts. */
  promptLogprobs: z.boolean(),
});
export type EngineProfile = z.infer<typeof EngineProfile>;
