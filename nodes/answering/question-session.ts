/** One QA session: what it is given of phase II's state, and what it gives back. It can never write: scope is enforced at execution. */
import type { LiveObjects } from "../session/live-objects.ts";
import type { Session, SessionUpdate } from "../session/state.ts";
import type { Answering, AnsweringUpdate } from "./state.ts";

export const openQuestion = (state: Answering, live: LiveObjects): SessionUpdate => ({
  stage: "qa",
  core: state.core,
  focus: state.question,
  context: state.context,
  given: state.given,
  position: lastChunk(state, live),
  memoryRef: state.memoryRef,
  sourceRef: state.sourceRef,
  identity: state.identity,
  error: state.error,
});

/** The last chunk that may be shown, 0-based: of the whole context, unless the state names an earlier one. */
export function lastChunk({ position, sourceRef }: Answering, live: LiveObjects): number {
  return position ?? Math.max(0, (live.source(sourceRef)?.chunks.length ?? 0) - 1);
}

export const closeQuestion = (session: Session): AnsweringUpdate => ({ session: session.outcome });

export const takeAnswer = (state: Answering): AnsweringUpdate => ({ answer: state.session?.text ?? null });
