/** The published objectives by name. Where a paper leaves a number open, the value here is ours and its line says so. */
import { z } from "zod";
import { UmaError } from "../../base/errors.ts";
import { Objective } from "./objective.ts";

export const objectives = {
  /** UMA Eqs. 7–9; β from its appendix. ε and the KL estimator are not stated: 0.2, and k3 as in the published code. */
  "task-stratified": {
    loss: "clipped",
    clip: { low: 0.2, high: 0.2, dual: null },
    kl: { kind: "k3", beta: 0.001, clamp: false },
    aggregation: "session-mean",
    tis: null,
  },
  /** What UMA's published training script runs: the mean over tokens and verl's defaults. Its KL inside the reward is not a loss. */
  "uma-code": {
    loss: "clipped",
    clip: { low: 0.2, high: 0.2, dual: 3 },
    kl: { kind: "k3", beta: 0.001, clamp: true },
    aggregation: "token-mean",
    tis: null,
  },
  /** DAPO: a higher upper bound, the mean over all tokens of the update, no KL. */
  dapo: {
    loss: "clipped",
    clip: { low: 0.2, high: 0.28, dual: null },
    kl: null,
    aggregation: "token-mean",
    tis: null,
  },
  /** Dr.GRPO: a constant length instead of |s|; here the interaction budget of a session. */
  "dr-grpo": {
    loss: "clipped",
    clip: { low: 0.2, high: 0.2, dual: null },
    kl: null,
    aggregation: { constant: 8_192 },
    tis: null,
  },
  /** GSPO: one ratio per session, the geometric mean of its tokens' ratios; bounds of its paper. */
  gspo: {
    loss: "gspo",
    clip: { low: 3e-4, high: 4e-4, dual: null },
    kl: null,
    aggregation: "session-mean",
    tis: null,
  },
  /** CISPO: the ratio is a bounded, detached weight; bounds 0 and 4 as hosted engines use, its paper leaves them open. */
  cispo: {
    loss: "cispo",
    clip: { low: 1, high: 3 },
    kl: null,
    aggregation: "token-mean",
    tis: null,
  },
  /** REINFORCE: Σ_t A ∇ log π, averaged over sessions. */
  reinforce: { loss: "reinforce", kl: null, aggregation: { constant: 1 }, tis: null },
  /** RLOO: the same loss; the mean that leaves the session out is its estimator's. */
  rloo: { loss: "reinforce", kl: null, aggregation: { constant: 1 }, tis: null },
  sft: { loss: "sft", aggregation: "token-mean" },
  dpo: { loss: "dpo", beta: 0.1 },
} as const satisfies Record<string, Objective>;

export type ObjectiveName = keyof typeof objectives;

/** An objective by name or as written in a recipe. Throws `config`. */
export function objectiveFrom(given: unknown): Objective {
  if (typeof given === "string") {
    if (Object.hasOwn(objectives, given)) return objectives[given as ObjectiveName];
    throw new UmaError("config", `there is no objective named ${JSON.stringify(given)}`, {
      fix: `choose one of: ${Object.keys(objectives).join(", ")}`,
    });
  }
  const parsed = Objective.safeParse(given);
  if (parsed.success) return parsed.data;
  throw new UmaError("config", `not an objective: ${z.prettifyError(parsed.error)}`, {
    fix: `write { loss, clip, kl, aggregation, tis } as in one of: ${Object.keys(objectives).join(", ")}`,
  });
}
