/**
 * Running failed sessions again: what has to be repeated with them, and how the log tells old from new.
 *
 * A memory session that failed left the memory without its chunk, so every session that came after it in that context read
 * another memory than it should have: those are run again too. retries.jsonl names them with the attempt that counts from
 * then on, before the first of them runs; a run that is killed in between therefore never mixes the two.
 */
import { join } from "node:path";
import { openJsonl, readJsonl } from "../base/jsonl.ts";
import type { SessionRecord } from "../nodes/session/record.ts";

/** One line of retries.jsonl. */
interface Retry {
  readonly started: string;
  /** Session id → the least attempt that counts. */
  readonly attempts: Readonly<Record<string, number>>;
}

const fileOf = (folder: string) => join(folder, "retries.jsonl");

/** Session id → the least attempt whose record counts; 1 for sessions that are not named. */
export function leastAttempts(folder: string): Map<string, number> {
  const least = new Map<string, number>();
  for (const { attempts } of readJsonl<Retry>(fileOf(folder)).values)
    for (const [id, attempt] of Object.entries(attempts)) least.set(id, Math.max(attempt, least.get(id) ?? 1));
  return least;
}

/** The sessions to repeat so that no result rests on a failed one; each record is a session that counts so far. */
export function sessionsToRetry(records: readonly SessionRecord[]): SessionRecord[] {
  const firstHole = new Map<string, number>();
  for (const record of records) {
    if (record.stage !== "memory" || !record.error) continue;
    const key = trajectoryOf(record);
    firstHole.set(key, Math.min(record.position, firstHole.get(key) ?? Number.POSITIVE_INFINITY));
  }
  return records.filter(
    (record) =>
      record.error !== null || record.position >= (firstHole.get(trajectoryOf(record)) ?? Number.POSITIVE_INFINITY),
  );
}

/** Writes down that these sessions are to be run again. */
export function recordRetry(folder: string, sessions: readonly SessionRecord[]): void {
  const log = openJsonl(fileOf(folder));
  try {
    log.append({
      started: new Date().toISOString(),
      attempts: Object.fromEntries(sessions.map((session) => [session.id, session.attempt + 1])),
    } satisfies Retry);
  } finally {
    log.close();
  }
}

const trajectoryOf = ({ context, trajectory }: SessionRecord) => JSON.stringify([context, trajectory]);
