/** Phase II as a graph: one tool-calling session over a finished memory (UMA §2.2). */
import { END, START, StateGraph } from "@langchain/langgraph";
import { closeQuestion, openQuestion, takeAnswer } from "../nodes/answering/question-session.ts";
import { type Answering, AnsweringInput, AnsweringState } from "../nodes/answering/state.ts";
import type { SessionDeps } from "../nodes/session/deps.ts";
import type { Session } from "../nodes/session/state.ts";
import { asNode } from "./as-node.ts";
import { type CompileOptions, compileGraph } from "./compile-options.ts";
import { createSessionGraph, sessionSteps } from "./session.ts";

export const createAnsweringGraph = (deps: SessionDeps, options: CompileOptions = {}) =>
  compileGraph(
    new StateGraph({ state: AnsweringState, input: AnsweringInput })
      .addNode(
        "askMemory",
        ...asNode<Answering, Session>(createSessionGraph(deps), {
          input: (state) => openQuestion(state, deps.live),
          output: closeQuestion,
          recursionLimit: sessionSteps(deps),
        }),
      )
      .addNode("takeAnswer", takeAnswer)
      .addEdge(START, "askMemory")
      .addEdge("askMemory", "takeAnswer")
      .addEdge("takeAnswer", END),
    { name: "answering", ...options },
  );
