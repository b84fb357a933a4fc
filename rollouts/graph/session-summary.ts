/** What the rollout graph's table says of a session: how it ended, and its calls as r_tool counts them (UMA §2.3.2). */
import { z } from "zod";
import { SessionEnd, type SessionRecord } from "../../nodes/session/record.ts";

export const SessionSummary = z.object({
  /** The record's. */
  id: z.string(),
  end: SessionEnd,
  /** N_valid and N_total by the paper's profile, where misses count in neither; null for a session that was cut short. */
  valid: z.int().nullable(),
  total: z.int().nullable(),
  error: z.string().nullable(),
});
export type SessionSummary = z.infer<typeof SessionSummary>;

export function summarize({ id, end, error, calls }: SessionRecord): SessionSummary {
  const cutShort = end === "error" || end === "cancelled";
  const verdicts = calls.map((call) => call.verdict).filter((verdict) => verdict !== "miss");
  const valid = verdicts.filter((verdict) => verdict === "valid" || verdict === "repaired");
  return {
    id,
    end,
    valid: cutShort ? null : valid.length,
    total: cutShort ? null : verdicts.length,
    error: error?.message ?? null,
  };
}
