/** One run as a report reads it: its folder's files, with repeated lines of resumed runs told apart. */
import { resolve } from "node:path";
import { UmaError } from "../../base/errors.ts";
import type { SessionRecord } from "../../nodes/session/record.ts";
import { type CreditLog, creditBasis, readCreditLog } from "../credit-log.ts";
import {
  type ContextLine,
  openRunFolder,
  type RunConfig,
  readContexts,
  readRecordLog,
  readScores,
  type ScoreLine,
} from "../run-folder.ts";

export interface RunLog {
  /** As it was given, so that a report that is sent around names no more of a machine than its maker did. */
  readonly folder: string;
  readonly config: RunConfig;
  readonly contexts: readonly ContextLine[];
  /** The sessions that count: one per id. */
  readonly records: readonly SessionRecord[];
  /** Attempts that were or are to be run again; their cost was real, their results do not count. */
  readonly superseded: readonly SessionRecord[];
  readonly scores: readonly ScoreLine[];
  /** Rewards and advantages as written in the folder; null when there are none, or none for the present log. */
  readonly credit: CreditLog | null;
}

export function readRun(folder: string): RunLog {
  const { config } = openRunFolder(folder);
  const { records: counted, voided } = readRecordLog(folder);
  const records = lastBy(counted, (record) => record.id);
  const kept = new Set(records);
  const ids = new Set(records.map((record) => record.id));
  // until a session that is to be run again has been, its old score stands in the file and counts for nothing
  const stale = new Set(voided.map((record) => record.id).filter((id) => !ids.has(id)));
  const scores = lastBy(readScores(folder), (score) => score.session).filter(({ session }) => !stale.has(session));
  const credit = readCreditLog(folder);
  return {
    folder,
    config,
    contexts: lastBy(readContexts(folder), (context) => context.id),
    records,
    superseded: [...voided, ...counted.filter((record) => !kept.has(record))],
    scores,
    credit: credit?.options.basis === creditBasis(records, scores) ? credit : null,
  };
}

/** A folder that is named twice is read once. */
export function readRuns(folders: readonly string[]): RunLog[] {
  if (folders.length === 0) {
    throw new UmaError("config", "a report needs at least one run folder, got none", {
      fix: "name the folders that `umagraph eval` or `umagraph rollout` has written",
    });
  }
  return [...new Map(folders.map((folder) => [resolve(folder), folder])).values()].map(readRun);
}

/** The last item of each key, in the order in which the keys came first. */
function lastBy<T>(items: readonly T[], key: (item: T) => string): T[] {
  const last = new Map<string, T>();
  for (const item of items) last.set(key(item), item);
  return [...last.values()];
}
