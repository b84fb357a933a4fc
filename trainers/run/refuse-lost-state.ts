/** A run that has trained and whose state is gone would begin anew, and the lines of its updates be dropped: it is refused. */
import { existsSync } from "node:fs";
import { basename } from "node:path";
import { UmaError } from "../../base/errors.ts";
import { readJsonl } from "../../base/jsonl.ts";
import { trainingFiles } from "./training-folder.ts";

/**
 * Asked when no state was found in `path`. Throws `store`, unless the run was killed before its first update was done: that
 * much is done again.
 */
export function refuseLostState(folder: string, path: string): void {
  const lines = [trainingFiles.metrics(folder), trainingFiles.evaluations(folder)].flatMap(
    (file) => readJsonl<{ readonly update: number }>(file).values,
  );
  const done = Math.max(0, ...lines.map(({ update }) => update));
  if (done === 0) return;
  const name = basename(path);
  throw new UmaError(
    "store",
    `${folder} has lines of ${done === 1 ? "one update" : `${done} updates`}, and its ${name}, which keeps where the run stands, ${existsSync(path) ? "holds no state" : "is missing"}`,
    { fix: `put a copy of ${name} back, or begin a new run with --out` },
  );
}
