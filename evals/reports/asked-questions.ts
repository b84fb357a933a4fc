/** The questions of a context that a run asks: all of them, or the M that were drawn for its trajectories (UMA §2.3.1). */
import { drawQuestions } from "../../rollouts/draw-questions.ts";
import type { ContextLine, RunConfig } from "../run-folder.ts";

export function askedQuestions(
  { rollout, seed }: Pick<RunConfig, "rollout" | "seed">,
  context: ContextLine,
): ContextLine["questions"] {
  // a run that was stopped by too large an M can still be looked at
  const M = rollout.M !== null && rollout.M > context.questions.length ? null : rollout.M;
  // the draw looks at the id and the questions only
  return drawQuestions({ ...context, chunks: [] as readonly string[] }, M, seed);
}
