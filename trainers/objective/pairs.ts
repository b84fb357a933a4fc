/** Preference pairs: each pair id has exactly one chosen and one rejected session. */
import { UmaError } from "../../base/errors.ts";
import type { TrainingSession } from "./training-session.ts";

/** Throws `input` otherwise. */
export function checkPairs(sessions: readonly TrainingSession[]): void {
  const sides = new Map<string, string[]>();
  for (const { id, pair } of sessions) {
    if (!pair)
      throw new UmaError("input", `session ${id} is in no pair, and the objective compares pairs`, {
        fix: "give it pair { id, side } or leave it out",
      });
    sides.set(pair.id, [...(sides.get(pair.id) ?? []), pair.side]);
  }
  for (const [id, found] of sides) {
    if (found.length !== 2 || found[0] === found[1])
      throw new UmaError(
        "input",
        `pair ${id}: expected one chosen and one rejected session with trained tokens, got ${found.join(" and ")}`,
      );
  }
}
