/** The habits of a Ledger-QA run, against the ledger that its dialogues were made from. */
import type { SessionRecord } from "../../../nodes/session/record.ts";
import type { Tally } from "../habit.ts";
import { countMemoryHabits } from "./memory-habits.ts";
import { countQueryHabits } from "./query-habits.ts";
import type { LedgerTruth } from "./truth.ts";

/** `records`: finished sessions, of any order; those of contexts without a truth are left out. */
export function countLedgerHabits(
  records: readonly SessionRecord[],
  truths: ReadonlyMap<string, LedgerTruth>,
  tally: Tally,
): void {
  const trajectories = new Map<string, SessionRecord[]>();
  for (const record of records) {
    const truth = truths.get(record.context);
    if (!truth) continue;
    const query = record.question === null ? undefined : truth.queries.get(record.question);
    if (record.stage === "memory") {
      const key = `${record.context} ${record.trajectory}`;
      const held = trajectories.get(key);
      if (held) held.push(record);
      else trajectories.set(key, [record]);
    } else if (query) countQueryHabits(record, query, tally);
  }
  for (const sessions of trajectories.values()) countMemoryHabits(sessions, truths.get(sessions[0]!.context)!, tally);
}
