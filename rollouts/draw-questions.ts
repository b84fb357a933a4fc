/** The M questions of a context (UMA §2.3.1): drawn once from its seed, the same for all G trajectories. */
import { UmaError } from "../base/errors.ts";
import { rng } from "../base/rng.ts";
import type { RolloutContext } from "./rollout-context.ts";

/**
 * M of the context's questions in their own order; all of them for null. The draw depends on nothing but the seed and the
 * context's id. Throws `config` when the context has fewer than M.
 */
export function drawQuestions<Context extends RolloutContext>(
  context: Context,
  M: number | null,
  seed: number,
): Context["questions"] {
  const { id, questions } = context;
  if (M === null || M === questions.length) return questions;
  if (M > questions.length) {
    throw new UmaError("config", `M = ${M} questions per context, but ${id} has ${questions.length}`, {
      fix: `choose M up to ${questions.length}, or contexts with more questions`,
    });
  }
  const random = rng(seed, "questions", id);
  const chosen = new Set(random.shuffle([...questions.keys()]).slice(0, M));
  return questions.filter((_, at) => chosen.has(at));
}
