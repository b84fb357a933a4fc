/** One memory trajectory as a graph: the variant's phase I up to each place where a question is asked (UMA §2.3.1). */
import { END, START, StateGraph } from "@langchain/langgraph";
import type { AnyGraph } from "../../graphs/any-graph.ts";
import { compileGraph } from "../../graphs/compile-options.ts";
import type { Maintenance } from "../../nodes/maintenance/state.ts";
import { asBranch } from "./as-branch.ts";
import { breakOff, closeSpan, hasNextStop, openSpan } from "./memory-span.ts";
import type { SessionBook } from "./session-book.ts";
import { type Trajectory, TrajectoryState, type TrajectoryUpdate } from "./trajectory-state.ts";

export const createTrajectoryGraph = (memorize: AnyGraph, book: SessionBook) =>
  compileGraph(
    new StateGraph(TrajectoryState)
      .addNode(
        "memorize",
        ...asBranch<Trajectory, Maintenance, TrajectoryUpdate>(memorize, {
          book,
          input: openSpan,
          done: closeSpan,
          failed: breakOff,
        }),
      )
      .addEdge(START, "memorize")
      .addConditionalEdges("memorize", hasNextStop, { more: "memorize", done: END }),
    { name: "trajectory", recursionLimit: 1_000_000 },
  );
