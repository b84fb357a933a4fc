/** One set of weights per session, group and run: completions of two policies are no sample of either. */
import { UmaError } from "../../base/errors.ts";

/** Throws `conflict` when the versions differ. `where` names the session or the group. */
export function refuseMixedWeights(versions: Iterable<string | null>, where: string): void {
  const [first, second] = new Set(versions);
  if (second === undefined) return;
  throw new UmaError("conflict", `${where}: sampled with weights ${named(first)} and with ${named(second)}`, {
    fix: "finish a group before new weights are published, or set allowMixedWeights to train on it all the same",
  });
}

const named = (version: string | null | undefined) => (version == null ? "of no version" : JSON.stringify(version));
