/** The group that a session's reward is compared within, by name, so that an advantage can be checked by hand. */
import type { SessionRecord } from "../../nodes/session/record.ts";
import type { CreditOptions } from "./credit-options.ts";

/** `c/memory`, `c/q7` · `memory` over all contexts of the update · `c`, `all` for one group of everything · `c/trajectories`. */
export function groupName(
  { context, stage, question }: Pick<SessionRecord, "context" | "stage" | "question">,
  { estimator, advantages }: Pick<CreditOptions, "estimator" | "advantages">,
): string {
  const perUpdate = advantages.memoryGroup === "per-update";
  if (estimator === "grpo") return `${context}/trajectories`;
  if (estimator === "global-group") return perUpdate ? "all" : context;
  if (stage === "qa") return `${context}/q${question}`;
  return perUpdate ? "memory" : `${context}/memory`;
}
