/** The finished sessions of a run while it goes on: what a resumed run need not do again, and what is written down next. */
import type { SessionRecord } from "../nodes/session/record.ts";
import type { Halt } from "./halt.ts";
import { leastAttempts, recordRetry, sessionsToRetry } from "./retries.ts";
import { openRecordLog, readRecords } from "./run-folder.ts";

export interface SessionJournal {
  /** The record of a finished session, without its messages; undefined when it is still to be run. */
  finished(id: string): SessionRecord | undefined;
  /** Every finished session, likewise. */
  all(): SessionRecord[];
  /** Writes a session down. One that was cut short is no result and leaves no trace. */
  record(session: SessionRecord): void;
  counts(): JournalCounts;
  close(): void;
}

export interface JournalCounts {
  /** Finished in this process and before. */
  readonly done: number;
  /** Finished before this process began. */
  readonly resumed: number;
  /** Of `done`, those with an error. */
  readonly failed: number;
  /** Of those that ended in this process, with an error of the policy's provider. */
  readonly unserved: number;
  /** What the last of these said. */
  readonly lastFailure: string | null;
}

export function openJournal(
  folder: string,
  options: { readonly retryFailed: boolean; readonly giveUpAfter: number; readonly halt: Halt },
): SessionJournal {
  const { giveUpAfter, halt } = options;
  const finished = new Map<string, SessionRecord>();
  for (const record of readRecords(folder)) finished.set(record.id, lean(record));
  if (options.retryFailed) {
    const again = sessionsToRetry([...finished.values()]);
    if (again.length > 0) recordRetry(folder, again);
    for (const { id } of again) finished.delete(id);
  }
  const attempts = leastAttempts(folder);
  const log = openRecordLog(folder);
  const resumed = finished.size;
  let failed = [...finished.values()].filter((record) => record.error).length;
  let unserved = 0;
  let inARow = 0;
  let lastFailure: string | null = null;

  return {
    finished: (id) => finished.get(id),
    all: () => [...finished.values()],
    record(session) {
      if (session.end === "cancelled") return;
      const attempt = attempts.get(session.id) ?? 1;
      log.append({ ...session, attempt });
      finished.set(session.id, lean({ ...session, attempt }));
      if (session.error) failed++;
      if (session.error?.boundary !== "policy") {
        inARow = 0;
        return;
      }
      lastFailure = session.error.message;
      unserved++;
      if (++inARow === giveUpAfter) halt.giveUp();
    },
    counts: () => ({ done: finished.size, resumed, failed, unserved, lastFailure }),
    close: () => log.close(),
  };
}

/** Replaying and scoring read calls, answers and cores; a long run must not keep every prompt in memory. */
const lean = (record: SessionRecord): SessionRecord => ({
  ...record,
  messages: [],
  calls: record.calls.map((call) => ({ ...call, observation: "" })),
});
