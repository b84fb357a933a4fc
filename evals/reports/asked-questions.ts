/** The questions of a context that a run asks: all of them, or the M that were drawn for its trajectories (UMA §2.3.1). */
import { drawQuestions } from "../../rollouts/draw-questions.ts";
import type { ContextLine, RunConfig } from "../run-folder.ts";

export function askedQuestions(
  { rollout, seed }: Pick<RunConfig, "rollout" | "seed">,
  context: ContextLine,
): ContextLine["questions"] {
  // the draw looks at the id and the questions only
  return drawQuestions({ ...context, chunks: [] as readonly string[] }, rollout.M, seed);
}
