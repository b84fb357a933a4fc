/**
 * Nested sampling as a graph, to step through (UMA §2.3.1, Fig. 3): one context, G memory trajectories, M questions of each.
 *
 * It gives the records of `sampleRollouts` for the same seed. The difference is the order: every trajectory is at its end
 * before the first question is sent out, while `sampleRollouts` asks as soon as a memory is final. For long contexts, many
 * of them, resuming and threads, that is the one to use.
 *
 *     const graph = createRolloutGraph(await loadVariant("uma"), graphDeps({ policy }));
 *     const { answers, trajectories } = await graph.invoke({ chunks, questions, G: 4, M: 8, seed: 3 });
 *     answers.t0.q1; // { answer, end, valid, total, error, id }
 */
import { END, START, StateGraph } from "@langchain/langgraph";
import { type CompileOptions, compileGraph } from "../../graphs/compile-options.ts";
import type { GraphDeps } from "../../graphs/graph-deps.ts";
import type { Variant } from "../../graphs/variants/variant.ts";
import type { Answering } from "../../nodes/answering/state.ts";
import { asBranch } from "./as-branch.ts";
import { askQuestions, sendQuestions } from "./ask-questions.ts";
import { openRollout } from "./open-rollout.ts";
import { closeQuestionBranch, failQuestionBranch } from "./question-branch.ts";
import { sessionBook } from "./session-book.ts";
import { RolloutInput, RolloutState, type RolloutUpdate } from "./state.ts";
import { createTrajectoryGraph } from "./trajectory.ts";
import { closeTrajectory, loseTrajectory, openTrajectories } from "./trajectory-branch.ts";
import type { Trajectory } from "./trajectory-state.ts";

export interface RolloutGraphOptions extends CompileOptions {
  /** Branches at once (default 8), and so sessions; a run's own `maxConcurrency` comes first. */
  readonly concurrency?: number;
}

export function createRolloutGraph(variant: Variant, deps: GraphDeps, options: RolloutGraphOptions = {}) {
  const { concurrency = 8, ...compileOptions } = options;
  const book = sessionBook();
  const { memorize, answer } = variant.phases({ ...deps, record: book.noting(deps.record) });
  const graph = compileGraph(
    new StateGraph({ state: RolloutState, input: RolloutInput })
      .addNode("openRollout", (state) => openRollout(state, deps))
      .addNode(
        "trajectory",
        ...asBranch<Trajectory, Trajectory, RolloutUpdate>(createTrajectoryGraph(memorize, book), {
          book,
          done: closeTrajectory,
          failed: loseTrajectory,
        }),
      )
      .addNode("askQuestions", askQuestions)
      .addNode(
        "answer",
        ...asBranch<Answering, Answering, RolloutUpdate>(answer, {
          book,
          done: closeQuestionBranch,
          failed: failQuestionBranch,
        }),
      )
      .addEdge(START, "openRollout")
      .addConditionalEdges("openRollout", openTrajectories, ["trajectory"])
      .addEdge("trajectory", "askQuestions")
      .addConditionalEdges("askQuestions", sendQuestions, ["answer", END])
      .addEdge("answer", "askQuestions"),
    { name: "rollout", recursionLimit: 1_000_000, ...compileOptions },
  );
  return graph.withConfig({ maxConcurrency: concurrency }) as typeof graph;
}
