/** Phase I of methods that build no memory: the stream is indexed and that is all. */
import { END, START, StateGraph } from "@langchain/langgraph";
import { openStream } from "../../nodes/maintenance/open-stream.ts";
import { MaintenanceInput, MaintenanceState } from "../../nodes/maintenance/state.ts";
import { type CompileOptions, compileGraph } from "../compile-options.ts";
import type { GraphDeps } from "../graph-deps.ts";

export const createKeepChunksGraph = (deps: GraphDeps, options: CompileOptions = {}) =>
  compileGraph(
    new StateGraph({ state: MaintenanceState, input: MaintenanceInput })
      .addNode("keepChunks", (state) => openStream(state, deps))
      .addEdge(START, "keepChunks")
      .addEdge("keepChunks", END),
    { name: "keepChunks", ...options },
  );
