/** What the compiler takes: sessions with their tokens and their advantage, checked before anything is computed from them. */
import { UmaError } from "../../base/errors.ts";
import type { Stage } from "../../nodes/session/record.ts";
import type { TracePart } from "../../policies/token-trace.ts";

export interface TrainingSession {
  /** The record's id. */
  readonly id: string;
  readonly stage: Stage;
  readonly parts: readonly TracePart[];
  /** Null = no signal: the session leaves the loss and its counts. Supervised and preference losses do not read it. */
  readonly advantage: number | null;
  /** Why there is no signal; only counted and shown. */
  readonly reason?: string;
  /** Preference pairs (DPO): exactly one chosen and one rejected session share a pair id. */
  readonly pair?: { readonly id: string; readonly side: "chosen" | "rejected" };
}

/** |s|: a session's trained tokens over all its parts, and proof that its arrays fit together. Throws `input`. */
export function countTrained(session: TrainingSession): number {
  return session.parts.reduce((trained, part, index) => {
    const where = `session ${session.id}, part ${index}`;
    checkPart(part, where);
    return trained + countPart(part, where);
  }, 0);
}

function countPart({ mask, sampler, old, ref }: TracePart, where: string): number {
  let trained = 0;
  for (let t = 0; t < mask.length; t++) {
    if (mask[t] === 0) continue;
    if (mask[t] !== 1) throw new UmaError("input", `${where}: the mask of token ${t} is ${mask[t]}, expected 0 or 1`);
    const sum = sampler[t]! + (old ? old[t]! : 0) + (ref ? ref[t]! : 0);
    if (!Number.isFinite(sum))
      throw new UmaError("input", `${where}: a log-probability of sampled token ${t} is not a finite number`, {
        fix: "a token that was sampled has one under every model; look at what the sampler or the forward pass returned",
      });
    trained++;
  }
  return trained;
}

function checkPart(part: TracePart, where: string): void {
  const { ids, mask, sampler, old, ref } = part;
  if (ids.length < 2)
    throw new UmaError("input", `${where}: expected at least 2 tokens (one given, one sampled), got ${ids.length}`);
  for (const [name, array] of Object.entries({ mask, sampler, old, ref })) {
    if (array !== undefined && array.length !== ids.length)
      throw new UmaError(
        "input",
        `${where}: ${name} has ${array.length} elements, expected ${ids.length}, one per token`,
      );
  }
  if (mask[0] !== 0)
    throw new UmaError("input", `${where}: its first token is marked as sampled`, {
      fix: "a sequence starts with the prompt; keep the prompt ids in the trace",
    });
}

/** Refuses ids that occur twice (their gradient would count twice) and advantages that are not numbers. */
export function checkSessions(sessions: readonly TrainingSession[]): void {
  const seen = new Set<string>();
  for (const { id, advantage } of sessions) {
    if (seen.has(id))
      throw new UmaError("input", `session ${id} occurs twice in one update`, {
        fix: "keep one attempt per session; its gradient would count double",
      });
    seen.add(id);
    if (advantage !== null && !Number.isFinite(advantage))
      throw new UmaError("input", `session ${id}: expected a finite advantage or null, got ${advantage}`);
  }
}
