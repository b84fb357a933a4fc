/**
 * Objectives as data: which surrogate, which clip, which KL, which aggregation (UMA §2.3.3, Eqs. 7–9, and its relatives).
 *
 * An objective says nothing about how advantages were made: Dr.GRPO's missing deviation, RLOO's left-out mean and DAPO's
 * dropped groups belong to the estimator, a KL penalty inside the reward belongs to the rewards.
 */
import { z } from "zod";
import { klKinds } from "../../learner/engines/engine-profile.ts";

/** Bounds of the ratio ρ as distances from 1: Eq. 9's ε, on either side its own. */
const Bounds = z.strictObject({ low: z.number().min(0).max(1), high: z.number().min(0) });
export type Bounds = z.infer<typeof Bounds>;

/** `dual` also bounds ρ from above where A < 0 (dual clip); null = not. */
const Clip = Bounds.extend({ dual: z.number().gt(1).nullable().default(null) }).refine(
  (clip) => clip.dual === null || clip.dual > 1 + clip.high,
  {
    error: "expected dual above 1 + high: below that it would undo the ordinary clip",
  },
);
export type Clip = z.infer<typeof Clip>;

const Kl = z
  .strictObject({
    kind: z.enum(klKinds),
    beta: z.number().min(0),
    /** As verl does for k3: Δ bounded to ±20, the estimate to ±10; outside of them the gradient is 0. */
    clamp: z.boolean().default(false),
  })
  .refine(({ kind, clamp }) => kind === "k3" || !clamp, { error: "clamp is defined for k3 only" });
export type Kl = z.infer<typeof Kl>;

/** `session-mean` Eqs. 7–8 · `token-mean` over the whole update · `constant` Σ/(S·constant). */
const Aggregation = z.union([
  z.enum(["session-mean", "token-mean"]),
  z.strictObject({ constant: z.number().positive() }),
]);
export type Aggregation = z.infer<typeof Aggregation>;

const policyGradient = {
  /** To the frozen reference; null = none. */
  kl: Kl.nullable(),
  aggregation: Aggregation,
  /** Truncated importance weights: A is multiplied by min(π_θold/π_sampler, cap); null = none. */
  tis: z.strictObject({ cap: z.number().positive() }).nullable().default(null),
};

export const Objective = z.discriminatedUnion("loss", [
  z.strictObject({ loss: z.literal("clipped"), clip: Clip, ...policyGradient }),
  z.strictObject({ loss: z.literal("gspo"), clip: Clip, ...policyGradient }),
  z.strictObject({ loss: z.literal("cispo"), clip: Bounds, ...policyGradient }),
  z.strictObject({ loss: z.literal("reinforce"), ...policyGradient }),
  z.strictObject({ loss: z.literal("sft"), aggregation: Aggregation }),
  z.strictObject({ loss: z.literal("dpo"), beta: z.number().positive() }),
]);
export type Objective = z.infer<typeof Objective>;

export type PolicyGradient = Exclude<Objective, { loss: "sft" | "dpo" }>;

export function isPolicyGradient(objective: Objective): objective is PolicyGradient {
  return objective.loss !== "sft" && objective.loss !== "dpo";
}

/** The KL term that enters the loss; β = 0 is none. */
export function klOf(objective: Objective): Kl | null {
  return isPolicyGradient(objective) && objective.kl && objective.kl.beta > 0 ? objective.kl : null;
}
