/**
 * Training as a graph (UMA §2.3): collect → reward → advantage → batch → update → publish → evaluate, over and over.
 *
 * Its nodes are the steps that `runTraining` calls in a loop, so both write the same files. What the graph adds is a
 * checkpoint after every step, and that a person can stop before each one and look.
 *
 *     const graph = createTrainerGraph(hostOf(training), { checkpointer });
 *     await graph.invoke({}, { configurable: { thread_id }, durability: "sync" });
 *
 * Checkpoints have to be `sync`: a step may replace files that the state before it names.
 */
import { END, START, StateGraph } from "@langchain/langgraph";
import { type CompileOptions, compileGraph } from "../../graphs/compile-options.ts";
import { nextStep, runStep } from "../run/run-step.ts";
import { type StepName, stepNames } from "../run/state.ts";
import { placeOf } from "./place-of.ts";
import { type Trainer, TrainerInput, TrainerState, type TrainerUpdate } from "./state.ts";
import type { TrainingHost } from "./training-host.ts";

export function createTrainerGraph(host: TrainingHost, options: CompileOptions = {}) {
  const node =
    (step: StepName) =>
    async (state: Trainer): Promise<TrainerUpdate> => ({
      training: await runStep(step, placeOf(state), host.deps(state)),
    });
  /** Asked after each node, as the plain loop asks before each step. */
  const next = (state: Trainer) => {
    const training = placeOf(state);
    const stops = host.deps(state).stopping() || host.enough?.(training);
    return (stops ? null : nextStep(training)) ?? "closeRun";
  };

  return compileGraph(
    new StateGraph({ state: TrainerState, input: TrainerInput })
      .addNode("openRun", (state) => host.open(state))
      .addNode("collect", node("collect"))
      .addNode("reward", node("reward"))
      .addNode("advantage", node("advantage"))
      .addNode("batch", node("batch"))
      .addNode("update", node("update"))
      .addNode("publish", node("publish"))
      .addNode("evaluate", node("evaluate"))
      .addNode("closeRun", async (state) => {
        await host.close(state);
        return {};
      })
      .addEdge(START, "openRun")
      .addConditionalEdges("openRun", next, [...stepNames, "closeRun"])
      .addConditionalEdges("collect", next, ["reward", "closeRun"])
      .addConditionalEdges("reward", next, ["advantage", "closeRun"])
      .addConditionalEdges("advantage", next, ["batch", "closeRun"])
      .addConditionalEdges("batch", next, ["update", "closeRun"])
      // a learner that came back without its last steps is led through them again, from the last saved state or the start
      .addConditionalEdges("update", next, ["publish", "evaluate", "closeRun"])
      .addConditionalEdges("publish", next, ["evaluate", "publish", "closeRun"])
      .addConditionalEdges("evaluate", next, ["collect", "closeRun"])
      .addEdge("closeRun", END),
    { name: "trainer", recursionLimit: 1_000_000, ...options },
  );
}
