/**
 * One update planned from a run folder: what would be shipped, by which mode and why (learner protocol, Appendix B).
 *
 * A rollout holds the sampler's log-probabilities and not the reference's, which only a forward pass of the learner gives.
 * So the plan is made without the KL term, and the mode that it would take with it is chosen apart and told.
 */
import { UmaError } from "../../base/errors.ts";
import type { CreditLog } from "../../evals/credit-log.ts";
import type { SessionRecord } from "../../nodes/session/record.ts";
import { type BatchSummary, summarizeBatch } from "../objective/batch-summary.ts";
import { chooseMode } from "../objective/choose-mode.ts";
import { compile, type Plan } from "../objective/compile.ts";
import { type Judgement, judgeModes } from "../objective/modes.ts";
import { isPolicyGradient, type Kl, klOf, type Objective } from "../objective/objective.ts";
import type { Profile } from "../objective/profile.ts";
import { batchSessions } from "./batch-sessions.ts";

export interface BatchRequest {
  readonly objective: Objective;
  readonly profile: Profile;
  /** Take a mode that is not exact when no exact one serves. */
  readonly allowApproximate?: boolean;
  /** Take groups whose sessions were sampled by different weights. */
  readonly allowMixedWeights?: boolean;
}

export interface Batch {
  /** Null when no session has tokens. */
  readonly planned: { readonly plan: Plan; readonly summary: BatchSummary } | null;
  /** The KL term that the plan leaves out, and the mode that an update with it takes; null when the objective has none. */
  readonly kl: { readonly term: Kl; readonly chosen: Judgement } | null;
  readonly tokenExact: number;
  readonly withoutTokens: number;
}

/** Throws `config` for what the engine cannot do, or objectives that need what a rollout does not have. */
export function planBatch(
  records: readonly SessionRecord[],
  credit: Pick<CreditLog, "advantages">,
  { objective, profile, allowApproximate = false, allowMixedWeights = false }: BatchRequest,
): Batch {
  if (objective.loss === "dpo") {
    throw new UmaError("config", "dpo learns from preference pairs, and a rollout has none", {
      fix: "choose a policy-gradient objective, e.g. task-stratified",
    });
  }
  const { exact, withoutTokens } = batchSessions(records, credit, { allowMixedWeights });
  const choose = { allowApproximate };
  const term = klOf(objective);
  const plan = exact.length === 0 ? null : compile(withoutKl(objective), exact, profile, choose);
  return {
    planned: plan && { plan, summary: summarizeBatch(exact, plan) },
    kl: term && { term, chosen: chooseMode(judgeModes(objective, profile, false), choose) },
    tokenExact: exact.length,
    withoutTokens: withoutTokens.length,
  };
}

const withoutKl = (objective: Objective): Objective =>
  isPolicyGradient(objective) ? { ...objective, kl: null } : objective;
