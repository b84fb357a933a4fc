/** The flags that say how credit is assigned, shared by the commands that compute it. */
import { z } from "zod";
import { type EstimatorName, estimators } from "../../trainers/advantages/index.ts";
import type { CreditSettings } from "../../trainers/credit/credit-options.ts";
import { RewardOptions, rewardProfiles } from "../../trainers/rewards/reward-options.ts";

const names = <Name extends string>(map: Readonly<Record<Name, unknown>>) => Object.keys(map) as [Name, ...Name[]];

/** An empty text is no number, although JavaScript says it is 0. */
const lambda = z.preprocess(
  (text) => (typeof text === "string" && text.trim() === "" ? NaN : text),
  z.coerce.number().min(0),
);

export const creditFlags = {
  lambda: lambda.optional().describe("λ of Eqs. 3–4: what a valid tool call weighs against the outcome (default 0.5)"),
  lambdaMemory: lambda.optional().describe("λ of memory sessions alone"),
  lambdaQa: lambda.optional().describe("λ of QA sessions alone"),
  outcome: z
    .string()
    .min(1)
    .optional()
    .describe("Which metric of scores.jsonl is r_outcome (default: the benchmark's headline, its first)"),
  profile: z
    .enum(names(rewardProfiles))
    .default("paper")
    .describe("The paper, or what the published training code computes instead"),
  miss: RewardOptions.shape.miss
    .optional()
    .describe("What a miss (a title that is not there, or is taken) counts as (default neither)"),
  repaired: RewardOptions.shape.repaired
    .optional()
    .describe("What a call that had to be mended counts as (default valid)"),
  estimator: z
    .enum(names<EstimatorName>(estimators))
    .default("task-stratified")
    .describe("How rewards become advantages"),
  group: z
    .enum(["per-context", "per-update"])
    .optional()
    .describe("What a memory session is compared with: those of its context, or of all contexts (default per-context)"),
  std: z
    .enum(["population", "sample"])
    .optional()
    .describe("Which deviation rewards are divided by (default population)"),
  trained: z
    .enum(["memory", "qa"])
    .optional()
    .describe("two-stage: the stage that this update trains (default memory)"),
};

const Flags = z.object(creditFlags);

export function creditSettings(flags: z.infer<typeof Flags>): CreditSettings {
  const { lambda, lambdaMemory, lambdaQa, outcome, miss, repaired, group, std, trained } = flags;
  const memory = lambdaMemory ?? lambda;
  const qa = lambdaQa ?? lambda;
  return {
    profile: flags.profile,
    estimator: flags.estimator,
    rewards: {
      lambda: { ...(memory !== undefined && { memory }), ...(qa !== undefined && { qa }) },
      ...(outcome !== undefined && { outcome }),
      ...(miss !== undefined && { miss }),
      ...(repaired !== undefined && { repaired }),
    },
    advantages: {
      ...(group !== undefined && { memoryGroup: group }),
      ...(std !== undefined && { deviation: std }),
    },
    ...(trained !== undefined && { trained }),
  };
}
