/** Phase I as a graph: one session per chunk, then the guarded core commit, until the stream ends (UMA §2.2, Fig. 2). */
import { END, START, StateGraph } from "@langchain/langgraph";
import { closeChunk, openChunk } from "../nodes/maintenance/chunk-session.ts";
import { commitCore, hasNextChunk } from "../nodes/maintenance/commit-core.ts";
import { openStream } from "../nodes/maintenance/open-stream.ts";
import { type Maintenance, MaintenanceInput, MaintenanceState } from "../nodes/maintenance/state.ts";
import type { Session } from "../nodes/session/state.ts";
import { asNode } from "./as-node.ts";
import { type CompileOptions, compileGraph } from "./compile-options.ts";
import type { GraphDeps } from "./graph-deps.ts";
import { createSessionGraph, sessionSteps } from "./session.ts";

export const createMaintenanceGraph = (deps: GraphDeps, options: CompileOptions = {}) =>
  compileGraph(
    new StateGraph({ state: MaintenanceState, input: MaintenanceInput })
      .addNode("openStream", (state) => openStream(state, deps))
      .addNode(
        "readChunk",
        ...asNode<Maintenance, Session>(createSessionGraph(deps), {
          input: (state) => openChunk(state, deps.live),
          output: closeChunk,
          recursionLimit: sessionSteps(deps),
        }),
      )
      .addNode("commitCore", commitCore)
      .addEdge(START, "openStream")
      .addConditionalEdges("openStream", hasNextChunk, { more: "readChunk", done: END })
      .addEdge("readChunk", "commitCore")
      .addConditionalEdges("commitCore", hasNextChunk, { more: "readChunk", done: END }),
    { name: "maintenance", recursionLimit: 1_000_000, ...options },
  );
