/** The one-to-many protocol as a graph: read the stream once, then answer every question from the same memory (UMA §2.2). */
import { END, Send, START, StateGraph } from "@langchain/langgraph";
import { collectAnswer, namedQuestions, openAnswer } from "../nodes/agent/dispatch-questions.ts";
import { type Agent, AgentInput, AgentState } from "../nodes/agent/state.ts";
import type { Answering } from "../nodes/answering/state.ts";
import type { AnyGraph } from "./any-graph.ts";
import { asNode } from "./as-node.ts";
import { type CompileOptions, compileGraph } from "./compile-options.ts";

/** A variant's two phases; see variants/variant.ts. */
export interface AgentPhases {
  readonly memorize: AnyGraph;
  readonly answer: AnyGraph;
}

export const createAgentGraph = ({ memorize, answer }: AgentPhases, options: CompileOptions & { name?: string } = {}) =>
  compileGraph(
    new StateGraph({ state: AgentState, input: AgentInput })
      .addNode("memorize", ...asNode<Agent, Agent>(memorize, { output: takeMemory }))
      .addNode("answer", ...asNode<Answering, Answering>(answer, { output: collectAnswer }))
      .addEdge(START, "memorize")
      .addConditionalEdges("memorize", fanOut, ["answer", END])
      .addEdge("answer", END),
    { name: "agent", recursionLimit: 1_000_000, ...options },
  );

/** All of phase I's result but the questions, which it never sees. */
const takeMemory = ({ core, memoryRef, sourceRef, cursor, total, parent, session }: Agent) => ({
  chunks: [],
  core,
  memoryRef,
  sourceRef,
  cursor,
  total,
  parent,
  session,
});

const fanOut = (state: Agent) => {
  const questions = namedQuestions(state);
  return questions.length === 0 ? END : questions.map((question) => new Send("answer", openAnswer(state, question)));
};
