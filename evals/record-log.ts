/**
 * records.jsonl and what belongs to it: session records on disk and back, whole.
 *
 * Long message texts go once into texts.jsonl, and observations stay on their calls only: a log of 10^5 sessions stays
 * readable and small. A session that is run again is a further line with a higher attempt number.
 */
import { join } from "node:path";
import { contentHash } from "../base/hash.ts";
import { openJsonl, readJsonl } from "../base/jsonl.ts";
import { parseRecord, type SessionRecord } from "../nodes/session/record.ts";
import { leastAttempts } from "./retries.ts";

/** Shorter texts are not worth a reference. */
const LONG_TEXT = 300;
/** A line outlives a killed process at once and a power cut after so long; syncing each one would cost more than scripted sessions do. */
const SYNC_EVERY_MS = 250;

type LoggedMessage = Omit<SessionRecord["messages"][number], "text"> & { text?: string; ref?: string };

export interface RecordLog {
  append(record: SessionRecord): void;
  close(): void;
}

export function openRecordLog(folder: string): RecordLog {
  const textsPath = join(folder, "texts.jsonl");
  const known = new Set(readJsonl<{ ref: string }>(textsPath).values.map((line) => line.ref));
  const texts = openJsonl(textsPath, { fsync: false });
  const records = openJsonl(join(folder, "records.jsonl"), { fsync: false });
  let synced = 0;
  // texts first: a record on the disk never names a text that is not
  const sync = () => {
    texts.sync();
    records.sync();
    synced = performance.now();
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
      if (performance.now() - synced > SYNC_EVERY_MS) sync();
    },
    close() {
      try {
        sync();
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

export function readRecordLog(folder: string): RecordLogContents {
  const least = leastAttempts(folder);
  const contents: RecordLogContents = { records: [], voided: [] };
  for (const record of readAllRecords(folder))
    contents[record.attempt < (least.get(record.id) ?? 1) ? "voided" : "records"].push(record);
  return contents;
}

/** Every finished session that counts, whole. */
export const readRecords = (folder: string): SessionRecord[] => readRecordLog(folder).records;

function readAllRecords(folder: string): SessionRecord[] {
  const texts = new Map(
    readJsonl<{ ref: string; text: string }>(join(folder, "texts.jsonl")).values.map(({ ref, text }) => [ref, text]),
  );
  return readJsonl<SessionRecord & { messages: LoggedMessage[] }>(join(folder, "records.jsonl")).values.map(
    (logged) => {
      const observations = new Map(logged.calls?.map((call) => [call.id, call.observation]));
      const messages = logged.messages?.map(({ ref, text, ...message }: LoggedMessage) => ({
        ...message,
        text:
          text ??
          (ref === undefined
            ? (observations.get(message.callId ?? "") ?? "")
            : (texts.get(ref) ?? `(texts.jsonl has lost this text, ${ref})`)),
      }));
      return parseRecord({ ...logged, messages });
    },
  );
}
