/**
 * r_tool, the tool-call validity of one session: N_valid / N_total (UMA §2.3.2).
 *
 * Only explicit calls count; the plain text that ends a session is no call (App. A.3). What is unreadable, unknown, out of
 * phase or over a limit counts in N_total alone. How misses and mended calls count, and what a session without a call that
 * counts gets, is in the options.
 */
import type { CallRecord, SessionRecord } from "../../nodes/session/record.ts";
import type { CallVerdict } from "../../tools/call.ts";
import { toolsets } from "../../tools/toolsets.ts";
import type { RewardOptions } from "./reward-options.ts";
import { publishedCallCount } from "./uma-code/published-call-count.ts";

export type ToolValidityOptions = Pick<RewardOptions, "miss" | "repaired" | "emptySession" | "countCalls">;

export interface CallCounts {
  readonly valid: number;
  readonly total: number;
}

/** In [0, 1]; null when the session failed or was cancelled, since it did not run to an end that could be judged. */
export function toolValidity(record: SessionRecord, options: ToolValidityOptions): number | null {
  if (isCutShort(record)) return null;
  const { valid, total } = callCounts(record, options);
  return total === 0 ? options.emptySession : valid / total;
}

/** N_valid and N_total. */
export function callCounts(record: SessionRecord, options: ToolValidityOptions): CallCounts {
  const counted = record.calls.map((call) => countsAs(call, options));
  const valid = counted.filter((as) => as === "valid").length;
  const recorded = counted.filter((as) => as !== "neither").length;
  return { valid, total: options.countCalls === "recorded" ? recorded : publishedCallCount(record) };
}

export const isCutShort = (record: SessionRecord) => record.end === "error" || record.end === "cancelled";

type CountsAs = "valid" | "invalid" | "neither";

function countsAs(call: CallRecord, options: ToolValidityOptions): CountsAs {
  const table: Record<CallVerdict, CountsAs> = {
    valid: "valid",
    repaired: options.repaired,
    miss: missCountsAs(call, options),
    invalid: "invalid",
    refused: "invalid",
  };
  return table[call.verdict];
}

const readingTools: ReadonlySet<string> = new Set(
  toolsets.ledger.tools.filter((tool) => tool.kind === "read").map((tool) => tool.name),
);

function missCountsAs(call: CallRecord, { miss, repaired }: ToolValidityOptions): CountsAs {
  const as = miss === "valid-if-read" ? (readingTools.has(call.name) ? "valid" : "invalid") : miss;
  // a miss that had to be mended is no more valid than a hit that had to
  return as === "valid" && call.repaired ? repaired : as;
}
