/** The inner loop as a graph: sample an action, execute its tools, until plain text ends the session (App. A.3). */
import { END, START, StateGraph } from "@langchain/langgraph";
import type { SessionDeps } from "../nodes/session/deps.ts";
import { executeTools } from "../nodes/session/execute-tools.ts";
import { finishSession } from "../nodes/session/finish-session.ts";
import { openSession } from "../nodes/session/open-session.ts";
import { afterOpen, calledTools, mayGoOn } from "../nodes/session/routes.ts";
import { sampleAction } from "../nodes/session/sample-action.ts";
import { SessionInput, SessionState } from "../nodes/session/state.ts";
import { type CompileOptions, compileGraph } from "./compile-options.ts";

export const createSessionGraph = (deps: SessionDeps, options: CompileOptions = {}) =>
  compileGraph(
    new StateGraph({ state: SessionState, input: SessionInput })
      .addNode("openSession", (state) => openSession(state, deps))
      .addNode("sampleAction", (state, config) => sampleAction(state, deps, config))
      .addNode("executeTools", (state, config) => executeTools(state, deps, config))
      .addNode("finishSession", (state) => finishSession(state, deps))
      .addEdge(START, "openSession")
      .addConditionalEdges("openSession", afterOpen, { sample: "sampleAction", finish: "finishSession" })
      .addConditionalEdges("sampleAction", calledTools, { execute: "executeTools", finish: "finishSession" })
      .addConditionalEdges("executeTools", mayGoOn, { sample: "sampleAction", finish: "finishSession" })
      .addEdge("finishSession", END),
    { name: "session", recursionLimit: sessionSteps(deps), ...options },
  );

/** Supersteps a session can take, plus the one LangGraph wants beyond them. */
export const sessionSteps = (deps: SessionDeps) => 2 * deps.limits.maxTurns + 4;
