/** Where QA sessions looked: in the bank, in the raw context, in both, or nowhere. */
import type { SessionRecord } from "../../../nodes/session/record.ts";
import { hasFailed } from "./session-outcomes.ts";

export interface EvidenceUse {
  /** QA sessions that did not fail. */
  readonly sessions: number;
  /** Read entries and no sub-chunk. */
  readonly bankOnly: number;
  /** Read sub-chunks, or were given them by the variant, and no entry. */
  readonly rawOnly: number;
  readonly both: number;
  /** Neither: answered from the core or the prompt. Listing titles reads no entry. */
  readonly neither: number;
}

/** Null when no QA session finished. */
export function evidenceUse(records: readonly SessionRecord[]): EvidenceUse | null {
  const sessions = records.filter((record) => record.stage === "qa" && !hasFailed(record));
  if (sessions.length === 0) return null;
  const use = { bankOnly: 0, rawOnly: 0, both: 0, neither: 0 };
  for (const { calls, given } of sessions) {
    const reads = [...given, ...calls.flatMap((call) => call.reads)];
    const bank = reads.some(({ kind }) => kind === "entry");
    const raw = reads.some(({ kind }) => kind === "sub-chunk");
    use[bank && raw ? "both" : bank ? "bankOnly" : raw ? "rawOnly" : "neither"]++;
  }
  return { sessions: sessions.length, ...use };
}
