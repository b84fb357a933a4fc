/**
 * records.jsonl and what belongs to it: session records on disk and back, whole.
 *
 * Long message texts go once into texts.jsonl, and observations stay on their calls only: a log of 10^5 sessions stays
 * readable and small. A session that is run again is a further line with a higher attempt number.
 */
import { join } from "node:path";
import { UmaError } from "../base/errors.ts";
import { canonicalJson, contentHash } from "../base/hash.ts";
import { openJsonl, readJsonl } from "../base/jsonl.ts";
import { type Packing, packedEndings, packFile } from "../base/packed-file.ts";
import { parseRecord, type SessionRecord } from "../nodes/session/record.ts";
import { leastAttempts } from "./retries.ts";

/** Shorter texts are not worth a reference. */
const LONG_TEXT = 300;

type LoggedMessage = Omit<SessionRecord["messages"][number], "text"> & { text?: string; ref?: string };

export interface RecordLog {
  /**
   * In the file when this returns, so that a killed process loses nothing; a sync to the disk is begun at once, one for all
   * sessions that ended while the last one was under way.
   */
  append(record: SessionRecord): void;
  close(): Promise<void>;
}

export function openRecordLog(folder: string): RecordLog {
  const textsPath = join(folder, "texts.jsonl");
  const known = new Set(readLog<{ ref: string }>(folder, "texts.jsonl").map((line) => line.ref));
  const texts = openJsonl(textsPath, { fsync: false });
  const records = openJsonl(join(folder, "records.jsonl"), { fsync: false });
  let behind = false;
  let syncing: Promise<void> | null = null;
  // texts first: a record on the disk never names a text that is not
  const sync = async () => {
    while (behind) {
      behind = false;
      await texts.syncSoon();
      await records.syncSoon();
    }
    syncing = null;
  };
  return {
    append(record) {
      const observed = new Set(record.calls.map((call) => call.id));
      const messages = record.messages.map(({ text, ...message }): LoggedMessage => {
        if (message.callId !== undefined && observed.has(message.callId)) return message;
        if (text.length < LONG_TEXT) return { ...message, text };
        const ref = contentHash(text);
        if (!known.has(ref)) {
          texts.append({ ref, text });
          known.add(ref);
        }
        return { ...message, ref };
      });
      records.append({ ...record, messages });
      behind = true;
      syncing ??= sync();
    },
    async close() {
      await syncing;
      try {
        texts.sync();
        records.sync();
      } finally {
        texts.close();
        records.close();
      }
    },
  };
}

/** What happened in a run, in the order in which sessions finished. */
export interface RecordLogContents {
  readonly records: SessionRecord[];
  /** Sessions that were to be run again since: they cost what they cost, and count for nothing else. */
  readonly voided: SessionRecord[];
}

/**
 * A torn last line is left out, and a line that stands there twice counts once. Throws `input` for two different records of
 * one session, and for a record of another run (`run` is the name that config.json gives).
 */
export function readRecordLog(folder: string, run?: string): RecordLogContents {
  const least = leastAttempts(folder);
  const contents: RecordLogContents = { records: [], voided: [] };
  const seen = new Map<string, SessionRecord>();
  let of = run;
  for (const record of readAllRecords(folder)) {
    of ??= record.run;
    if (record.run !== of) {
      throw new UmaError("input", `${folder}: ${record.id} is a session of the run "${record.run}", not of "${of}"`, {
        fix: "keep the records of each run in its own folder",
      });
    }
    const key = `${record.id}#${record.attempt}`;
    const before = seen.get(key);
    if (before !== undefined) {
      if (canonicalJson(before) === canonicalJson(record)) continue;
      throw new UmaError("input", `${folder}: two different records of ${record.id} (attempt ${record.attempt})`, {
        fix: "two processes have written to this folder; start the run again in a new one",
      });
    }
    seen.set(key, record);
    contents[record.attempt < (least.get(record.id) ?? 1) ? "voided" : "records"].push(record);
  }
  return contents;
}

/** Every finished session that counts, whole. */
export const readRecords = (folder: string, run?: string): SessionRecord[] => readRecordLog(folder, run).records;

/** Compresses the log of a finished run. A run that goes on afterwards writes new lines beside it. */
export function packRecordLog(folder: string, packing: Packing): void {
  for (const file of ["texts.jsonl", "records.jsonl"]) packFile(join(folder, file), packing);
}

function readLog<Line>(folder: string, file: string): Line[] {
  const path = join(folder, file);
  return [...Object.values(packedEndings).map((ending) => `${path}${ending}`), path].flatMap(
    (part) => readJsonl<Line>(part).values,
  );
}

function readAllRecords(folder: string): SessionRecord[] {
  const texts = new Map(
    readLog<{ ref: string; text: string }>(folder, "texts.jsonl").map(({ ref, text }) => [ref, text]),
  );
  return readLog<SessionRecord & { messages: LoggedMessage[] }>(folder, "records.jsonl").map((logged, at) => {
    const observations = new Map(logged.calls?.map((call) => [call.id, call.observation]));
    const messages = logged.messages?.map(({ ref, text, ...message }: LoggedMessage) => ({
      ...message,
      text:
        text ??
        (ref === undefined
          ? (observations.get(message.callId ?? "") ?? "")
          : (texts.get(ref) ?? `(texts.jsonl has lost this text, ${ref})`)),
    }));
    try {
      return parseRecord({ ...logged, messages });
    } catch (thrown) {
      if (!(thrown instanceof UmaError)) throw thrown;
      const where = `${join(folder, "records.jsonl")}, record ${at + 1}`;
      throw new UmaError(thrown.code, `${where}: ${thrown.message}`, {
        ...(thrown.fix && { fix: thrown.fix }),
        cause: thrown,
      });
    }
  });
}
