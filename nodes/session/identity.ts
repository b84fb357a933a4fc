/** A session's name and seeds within its run: which context, trajectory, stage and position it belongs to. */
import { seedOf } from "../../base/rng.ts";
import type { Session } from "./state.ts";

type Placed = Pick<Session, "identity" | "stage" | "position">;

export function sessionId({ identity, stage, position }: Placed): string {
  const { context, trajectory, question } = identity;
  return `${context}/t${trajectory}/${stage === "memory" ? `m${position}` : `q${question ?? "0"}`}`;
}

/** Each turn of each session samples from its own seed, so no other session's length can shift it. */
export function sessionSeed(session: Placed, turn: number): number {
  return seedOf(session.identity.seed, sessionId(session), turn);
}
