/** Planned runs, one after the other, as `eval` and `rollout` run them. */
import { UmaError } from "../../base/errors.ts";
import { canonicalJson } from "../../base/hash.ts";
import type { EvaluateResult } from "../../evals/evaluate.ts";
import type { Interrupt } from "../interrupt.ts";
import type { Terminal } from "../terminal.ts";
import type { PlannedBatch } from "./plan-runs.ts";
import { type CellOptions, runCell } from "./run-cell.ts";

/** Those of a policy that had no replies are not begun. */
export async function runBatch(
  { runs, place }: PlannedBatch,
  options: Omit<CellOptions, "label">,
  at: { readonly command: string; readonly interrupt: Interrupt; readonly terminal: Terminal },
): Promise<EvaluateResult[]> {
  const { command, interrupt, terminal } = at;
  const results: EvaluateResult[] = [];
  const gone = new Set<string>();
  for (const run of runs) {
    if (interrupt.stopping()) break;
    const { variant, policy, seed } = run.folder.config;
    const name = `${variant.name} × ${policy.name} × seed ${seed}`;
    if (gone.has(canonicalJson(run.spec))) {
      terminal.note(`${name}: not begun, since ${policy.name} gave no replies`);
      continue;
    }
    const label = runs.length > 1 ? `${name}: ` : "";
    const result = await runCell(run, { ...options, label }, interrupt, terminal).catch((thrown) => {
      throw sayingHowToGoOn(thrown, `umagraph ${command} --resume ${place}`);
    });
    if (result.stopped === "provider") gone.add(canonicalJson(run.spec));
    results.push(result);
  }
  return results;
}

/** A full disk is nobody's mistake: the folder is as good as before. */
function sayingHowToGoOn(thrown: unknown, goOn: string): unknown {
  if (!(thrown instanceof UmaError) || thrown.code !== "store") return thrown;
  const fix = `${thrown.fix ? `${thrown.fix}; ` : ""}then: ${goOn}`;
  return new UmaError("store", thrown.message, { cause: thrown, fix });
}
