/** One run as a report reads it: its folder's files, with repeated lines of resumed runs told apart. */
import { resolve } from "node:path";
import { UmaError } from "../../base/errors.ts";
import type { SessionRecord } from "../../nodes/session/record.ts";
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
  /** The last attempt of every session. */
  readonly records: readonly SessionRecord[];
  /** Earlier attempts of sessions that were run again; their cost was real, their results do not count. */
  readonly superseded: readonly SessionRecord[];
  readonly scores: readonly ScoreLine[];
}

export function readRun(folder: string): RunLog {
  const { config } = openRunFolder(folder);
  const { records: all, voided } = readRecordLog(folder);
  const last = lastBy(
    all,
    (record) => record.id,
    (held, next) => next.attempt >= held.attempt,
  );
  const kept = new Set(last);
  return {
    folder,
    config,
    contexts: lastBy(readContexts(folder), (context) => context.id),
    records: last,
    superseded: [...voided, ...all.filter((record) => !kept.has(record))],
    scores: lastBy(readScores(folder), (score) => score.session),
  };
}

/** A folder that is named twice is read once. */
export function readRuns(folders: readonly string[]): RunLog[] {
  if (folders.length === 0) {
    throw new UmaError("config", "a report needs at least one run folder, got none", {
      fix: "name the folders that `umagraph eval` has written",
    });
  }
  return [...new Map(folders.map((folder) => [resolve(folder), folder])).values()].map(readRun);
}

/** One item per key, in the order in which the keys came first. */
function lastBy<T>(
  items: readonly T[],
  key: (item: T) => string,
  replaces: (held: T, next: T) => boolean = () => true,
) {
  const kept = new Map<string, T>();
  for (const item of items) {
    const held = kept.get(key(item));
    if (held === undefined || replaces(held, item)) kept.set(key(item), item);
  }
  return [...kept.values()];
}
