/** Scoring an update by a forward pass before its first step: π_θold by the learner, π_ref by the frozen reference. */

import type { TracePart } from "../../policies/token-trace.ts";
import { checkLogprobs } from "./datum.ts";
import { type ForwardPass, scoringPass } from "./passes.ts";
import type { Profile } from "./profile.ts";
import type { Logprobs, Term } from "./term.ts";
import { countTrained, type TrainingSession } from "./training-session.ts";

/** One datum per part, in the order of the sessions. */
export function scoreSessions(sessions: readonly TrainingSession[], profile: Profile): ForwardPass {
  return scoringPass(unscaled(sessions), profile);
}

/** The sessions with what the pass returned: one array per datum, one number per target. */
export function withScores(
  sessions: readonly TrainingSession[],
  which: "old" | "ref",
  scores: readonly Logprobs[],
): TrainingSession[] {
  const terms = unscaled(sessions);
  checkLogprobs(terms, scores);
  return terms.map(({ session, at }) => ({
    ...session,
    parts: session.parts.map((part, p) => ({ ...part, [which]: forTokens(part, scores[at + p]!) })),
  }));
}

/** A target's number moves to its token; the first token was never a target. */
function forTokens({ ids }: TracePart, scores: Logprobs): Float32Array {
  const aligned = new Float32Array(ids.length);
  aligned.set(scores, 1);
  return aligned;
}

function unscaled(sessions: readonly TrainingSession[]): Term[] {
  let at = 0;
  return sessions.map((session) => {
    const term = { session, trained: countTrained(session), scale: 1, at };
    at += session.parts.length;
    return term;
  });
}
