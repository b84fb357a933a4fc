/** A session's name within its run: which context, trajectory, stage and position it belongs to. */
import type { Session } from "./state.ts";

export function sessionId(state: Pick<Session, "identity" | "stage" | "position">): string {
  const { context, trajectory, question } = state.identity;
  return `${context}/t${trajectory}/${state.stage === "memory" ? `m${state.position}` : `q${question ?? "0"}`}`;
}
