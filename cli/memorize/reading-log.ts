/**
 * A reading in progress, on disk beside the store: the plan, and one record per finished session.
 *
 * A reading that was killed is continued from here: its records give the memory back, and no session is run twice. The
 * store itself changes once, at the end, by compare-and-set; then the folder goes.
 */
import { existsSync, readFileSync, rmSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { contentHash } from "../../base/hash.ts";
import { makeFolder } from "../../base/make-folder.ts";
import { takeProcessLock } from "../../base/process-lock.ts";
import { readRecords, writeWhole } from "../../evals/run-folder.ts";
import type { MemoryKey } from "../../memory/store/memory-store.ts";
import type { SessionRecord } from "../../nodes/session/record.ts";
import { openRecordLog } from "../../rollouts/record-log.ts";
import type { Plan } from "./plan-reading.ts";

/** The one reader of a memory. */
export interface ReadingPlace {
  /** The plan of a reading that was killed, when it still fits the memory at this version. */
  unfinished(version: number): Plan | null;
  /** Begins with this plan, or goes on with it. */
  open(plan: Plan): ReadingLog;
  /** Lets go; an unfinished reading stays for the next run. */
  release(): void;
}

export interface ReadingLog {
  /** Sessions of a run that was killed, in the order in which they finished. */
  readonly records: readonly SessionRecord[];
  append(record: SessionRecord): void;
  close(): Promise<void>;
  /** After close, when the result is saved or there is none: nothing of the reading is needed any more. */
  discard(): void;
}

/** Throws `conflict` while another process reads into this memory. */
export function takeReadingPlace(store: string, key: MemoryKey): ReadingPlace {
  const name = contentHash(JSON.stringify([basename(resolve(store)), key.namespace, key.id]));
  const folder = join(dirname(store), "reading", name);
  makeFolder(folder, "choose a writable place with --store");
  const lock = takeProcessLock(join(folder, "lock"), `memorize of "${key.id}"`);
  const planFile = join(folder, "plan.json");
  const clear = () => {
    for (const file of ["records.jsonl", "texts.jsonl", "plan.json"]) rmSync(join(folder, file), { force: true });
  };
  const planned = () => (existsSync(planFile) ? readFileSync(planFile, "utf8") : null);
  return {
    unfinished(version) {
      const text = planned();
      const plan = text === null ? null : (JSON.parse(text) as Plan);
      return plan?.from === version ? plan : null;
    },
    open(plan) {
      const text = JSON.stringify(plan);
      if (planned() !== text) {
        clear();
        writeWhole(planFile, text);
      }
      const records = readRecords(folder);
      const log = openRecordLog(folder);
      return {
        records,
        append: log.append,
        close: log.close,
        discard: clear,
      };
    },
    release() {
      lock.release();
      // an unfinished reading keeps its folder
      if (planned() === null) rmSync(folder, { recursive: true, force: true });
    },
  };
}
