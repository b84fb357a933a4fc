/** One QA session: what it is given of phase II's state, and what it gives back. It can never write: scope is enforced at execution. */
import type { Session, SessionUpdate } from "../session/state.ts";
import type { Answering, AnsweringUpdate } from "./state.ts";

export const openQuestion = (state: Answering): SessionUpdate => ({
  stage: "qa",
  core: state.core,
  focus: state.question,
  context: state.context,
  given: state.given,
  position: state.position,
  memoryRef: state.memoryRef,
  sourceRef: state.sourceRef,
  identity: state.identity,
});

export const closeQuestion = (session: Session): AnsweringUpdate => ({ session: session.outcome });

export const takeAnswer = (state: Answering): AnsweringUpdate => ({ answer: state.session?.text ?? null });
