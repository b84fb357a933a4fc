/** Fans the questions out: one phase II run each, over the same finished memory. */
import type { Answering, AnsweringUpdate } from "../answering/state.ts";
import type { Agent, AgentQuestion, AgentUpdate } from "./state.ts";

export const namedQuestions = (state: Pick<Agent, "questions">): AgentQuestion[] =>
  state.questions.map((question, i) => (typeof question === "string" ? { id: `q${i + 1}`, text: question } : question));

export const openAnswer = (state: Agent, question: AgentQuestion): AnsweringUpdate => ({
  question: question.text,
  core: state.core,
  memoryRef: state.memoryRef,
  sourceRef: state.sourceRef,
  position: Math.max(0, state.total - 1),
  identity: { ...state.identity, question: question.id },
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
