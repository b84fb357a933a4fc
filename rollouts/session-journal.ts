/** The finished sessions of a run while it goes on: what a resumed run need not do again, and what is written down next. */
import type { SessionRecord } from "../nodes/session/record.ts";
import type { Halt } from "./halt.ts";
import { openRecordLog, readRecords } from "./record-log.ts";
import { leastAttempts, recordRetry, sessionsToRetry } from "./retries.ts";

export interface SessionJournal {
  /** The record of a finished session, without its messages; undefined when it is still to be run. */
  finished(id: string): SessionRecord | undefined;
  /** Every finished session, likewise. */
  all(): SessionRecord[];
  /** Writes a session down. One that was cut short is no result and leaves no trace. */
  record(session: SessionRecord): void;
  counts(): JournalCounts;
  close(): Promise<void>;
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
  /** What the last failed session of this process said. */
  readonly lastFailure: string | null;
}

export interface JournalOptions {
  /** The run's name, which every record carries. */
  readonly run: string;
  readonly retryFailed: boolean;
  /** So many sessions in a row without a reply of the policy, and the run stops; 0 for never. */
  readonly giveUpAfter: number;
  /** A larger share of failed sessions than this, and the run stops; 1 for never. Looked at from `FEWEST` sessions on. */
  readonly maxFailedShare: number;
  readonly halt: Halt;
}

/** A share of fewer sessions says little. */
const FEWEST = 20;

export function openJournal(folder: string, options: JournalOptions): SessionJournal {
  const { giveUpAfter, maxFailedShare, halt } = options;
  const finished = new Map<string, SessionRecord>();
  for (const record of readRecords(folder, options.run)) finished.set(record.id, lean(record));
  if (options.retryFailed) {
    const again = sessionsToRetry([...finished.values()]);
    if (again.length > 0) recordRetry(folder, again);
    for (const { id } of again) finished.delete(id);
  }
  const attempts = leastAttempts(folder);
  const log = openRecordLog(folder);
  const resumed = finished.size;
  let failed = [...finished.values()].filter((record) => record.error).length;
  /** In this process. */
  let here = 0;
  let failedHere = 0;
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
      here++;
      if (session.error) {
        failed++;
        failedHere++;
        lastFailure = session.error.message;
        if (here >= FEWEST && failedHere / here > maxFailedShare) halt.giveUp("failures");
      }
      if (session.error?.boundary !== "policy") {
        inARow = 0;
        return;
      }
      unserved++;
      if (++inARow === giveUpAfter) halt.giveUp("provider");
    },
    counts: () => ({ done: finished.size, resumed, failed, unserved, lastFailure }),
    close: () => log.close(),
  };
}

/** Replaying and scoring read calls, answers and cores; a long run must not keep every prompt in memory. */
const lean = (record: SessionRecord): SessionRecord => ({
  ...record,
  messages: [],
  trace: null,
  calls: record.calls.map((call) => ({ ...call, observation: "" })),
});
