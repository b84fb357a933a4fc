/**
 * A batch of supervised sessions as the datums of one forward_backward: the objective `sft` over what the teacher wrote, and
 * optionally a small weight on what it was given.
 *
 * Reading is most of the work of a small policy, and the text it reads teaches it to copy; a tenth of the weight is enough.
 */
import type { EngineProfile } from "../../learner/engines/engine-profile.ts";
import type { TracePart } from "../../policies/token-trace.ts";
import { compile } from "../objective/compile.ts";
import type { Datum } from "../objective/datum.ts";
import { objectives } from "../objective/objectives.ts";
import type { TrainingSession } from "../objective/training-session.ts";

export interface Example {
  readonly id: string;
  readonly stage: TrainingSession["stage"];
  readonly part: TracePart;
}

export interface SupervisedBatch {
  readonly datums: readonly Datum[];
  /** Tokens that the teacher wrote; their weights add up to 1. */
  readonly trained: number;
  readonly tokens: number;
}

/** `contextWeight`: what a token that was given weighs against one that was written. */
export function supervisedBatch(
  examples: readonly Example[],
  profile: EngineProfile,
  { contextWeight }: { readonly contextWeight: number },
): SupervisedBatch {
  const sessions = examples.map(
    ({ id, stage, part }): TrainingSession => ({ id, stage, parts: [part], advantage: null }),
  );
  const { passes, totals } = compile(objectives.sft, sessions, profile);
  const datums = passes.flatMap((pass) => (pass.op === "forward_backward" ? [...pass.datums()] : []));
  const given = contextWeight / totals.tokens;
  if (given > 0)
    for (const { lossFnInputs } of datums) {
      const weights = lossFnInputs.weights!;
      for (let t = 0; t < weights.length; t++) if (weights[t] === 0) weights[t] = given;
    }
  return { datums, trained: totals.tokens, tokens: examples.reduce((sum, { part }) => sum + part.ids.length, 0) };
}
