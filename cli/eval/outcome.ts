/** How an evaluation ended: the exit code, and what the user should know and can do. */
import { exitCodes } from "../../base/errors.ts";
import type { EvaluateResult } from "../../evals/evaluate.ts";

export interface Outcome {
  readonly complete: boolean;
  readonly stopped: EvaluateResult["stopped"];
  readonly code: number;
  /** What the user should know and can do. */
  readonly note: string | null;
}

/** `results` are those of the runs that were begun, of `planned` ones; `place` is what --resume takes. */
export function outcomeOf(
  { planned, place, command = "eval" }: { readonly planned: number; readonly place: string; readonly command?: string },
  results: readonly EvaluateResult[],
): Outcome {
  const goOn = `umagraph ${command} --resume ${place}`;
  const retry = `${goOn} --retry-failed`;
  const failed = results.reduce((sum, result) => sum + result.failed, 0);
  const sessions = results.reduce((sum, result) => sum + result.done, 0);
  const why = results.findLast((result) => result.lastFailure !== null)?.lastFailure ?? null;
  const complete = results.length === planned && results.every((result) => result.complete);
  if (results.some((result) => result.stopped === "provider")) {
    const note = `stopped: the policy gave no replies any more: ${why}\nwhen it does again, go on with: ${retry}`;
    return { complete, stopped: "provider", code: exitCodes.provider, note };
  }
  if (results.some((result) => result.stopped === "failures")) {
    const note = `stopped: ${failed} of ${sessions} sessions failed, more than --max-failed allows; the last one: ${why}\ngo on with: ${retry}`;
    return { complete, stopped: "failures", code: exitCodes.failure, note };
  }
  if (!complete)
    return {
      complete,
      stopped: "asked",
      code: exitCodes.cancelled,
      note: `stopped before the end; go on with: ${goOn}`,
    };
  if (sessions > 0 && failed === sessions) {
    const note = `every session failed${why === null ? "" : `: ${why}`}\nrun them again with: ${retry}`;
    return { complete, stopped: null, code: why === null ? exitCodes.failure : exitCodes.provider, note };
  }
  const last = why === null ? "" : `; the last one: ${why}`;
  const note = failed === 0 ? null : `${failed} of ${sessions} sessions failed${last}\nrun them again with: ${retry}`;
  return { complete, stopped: null, code: exitCodes.ok, note };
}
