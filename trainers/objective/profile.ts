/**
 * What a learner engine can do, as far as the compiler has to know: plain data, shipped or measured by probing a server.
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
import { klKinds } from "./objective.ts";

export const Profile = z.strictObject({
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
});
export type Profile = z.infer<typeof Profile>;
