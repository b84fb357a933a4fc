/** Fans the questions out: one phase II run each, over the same finished memory. */
import { UmaError } from "../../base/errors.ts";
import type { Answering, AnsweringUpdate } from "../answering/state.ts";
import type { Agent, AgentQuestion, AgentUpdate } from "./state.ts";

/** Texts are named q1, q2, … by their place. Throws `input` when two questions have one name: answers are keyed by it. */
export function namedQuestions<Question extends AgentQuestion>(state: {
  readonly questions: readonly (string | Question)[];
}): (AgentQuestion | Question)[] {
  const named = state.questions.map((question, i) =>
    typeof question === "string" ? { id: `q${i + 1}`, text: question } : question,
  );
  const ids = named.map(({ id }) => id);
  const twice = ids.find((id, i) => ids.indexOf(id) !== i);
  if (twice !== undefined)
    throw new UmaError("input", `two questions are named "${twice}"`, { fix: "give each question an id of its own" });
  return named;
}

export const openAnswer = (state: Agent, question: AgentQuestion): AnsweringUpdate => ({
  question: question.text,
  core: state.core,
  memoryRef: state.memoryRef,
  sourceRef: state.sourceRef,
  position: Math.max(0, state.total - 1),
  identity: { ...state.identity, parent: state.parent ?? state.identity.parent, question: question.id },
});

/** An answer that failed is data like any other; it never stops its siblings. */
export const collectAnswer = (done: Answering): AgentUpdate => ({
  answers: {
    [done.identity.question ?? "q0"]: {
      answer: done.answer,
      end: done.session?.end ?? "error",
      error: done.session?.error?.message ?? null,
    },
  },
});
