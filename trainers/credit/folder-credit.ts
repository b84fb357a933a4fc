/** The credit that a run folder holds, or where it holds none for its present log, the paper's with all defaults. */
import { type CreditLog, creditBasis, readCreditLog } from "../../evals/credit-log.ts";
import { creditOptions } from "./credit-options.ts";
import type { SampledUpdate } from "./read-update.ts";
import { runCredit } from "./run-credit.ts";

export interface FolderCredit {
  readonly log: CreditLog;
  /** `folder`: as `umagraph rewards` wrote it · `missing`, `outdated`: made now with the defaults, and why. */
  readonly from: "folder" | "missing" | "outdated";
}

export function folderCredit(update: SampledUpdate): FolderCredit {
  const { run, scores } = update;
  const written = readCreditLog(run.folder);
  if (written && written.options.basis === creditBasis(run.records, scores)) return { log: written, from: "folder" };
  // r_tool needs no score, so a run without any still has tables, in which R is null with its reason
  const options = creditOptions(update, scores.length === 0 ? { rewards: { outcome: "not scored yet" } } : {});
  return { log: runCredit(update, options).log, from: written ? "outdated" : "missing" };
}
