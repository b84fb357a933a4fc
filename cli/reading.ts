/**
 * `memorize` as a resumable job: which chunks are new, which sessions are done, what to save.
 *
 * While it runs, a folder beside the store holds the new chunks and one record per finished session. A run that was killed
 * is continued from there: its records give the memory back, and no session is run twice. The store itself changes once,
 * at the end, by compare-and-set.
 */
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { contentHash } from "../base/hash.ts";
import { takeProcessLock } from "../base/process-lock.ts";
import { openRecordLog, readRecords, writeWhole } from "../evals/run-folder.ts";
import { chunkSessions } from "../memory/chunking.ts";
import type { Document } from "../memory/ingest/document.ts";
import type { KeptChunk, KeptDocument, KeptMemory } from "../memory/kept-memory.ts";
import type { MemoryKey } from "../memory/store/memory-store.ts";
import type { SessionRecord } from "../nodes/session/record.ts";

/** What is to be read, as it lies on disk while it is being read. */
export interface Plan {
  /** Version of the memory that this goes on from; 0 for a new one. */
  readonly from: number;
  readonly chunks: readonly KeptChunk[];
  readonly documents: readonly KeptDocument[];
}

/** The messages of the documents that the memory has not read yet, cut into chunks. */
export function planReading(
  kept: KeptMemory,
  from: number,
  documents: readonly Document[],
  options: { maxTokens: number; countTokens: (text: string) => number },
): Plan & { readonly unchanged: number } {
  const known = new Map(kept.documents.map((document) => [document.name, document]));
  const chunks: KeptChunk[] = [];
  const read: KeptDocument[] = [];
  let unchanged = 0;
  for (const document of documents) {
    const before = known.get(document.name);
    if (before?.hash === document.hash) {
      unchanged++;
      continue;
    }
    const seen = countEach(before?.messages ?? []);
    const hashes: string[] = [];
    const fresh = document.sessions.map((session) =>
      session.flatMap(({ text }) => {
        const hash = contentHash(text);
        hashes.push(hash);
        const left = seen.get(hash) ?? 0;
        if (left > 0) seen.set(hash, left - 1);
        return left > 0 ? [] : [text];
      }),
    );
    const texts = chunkSessions(
      fresh.filter((session) => session.length > 0),
      options,
    ).filter((text) => text.trim() !== "");
    chunks.push(...texts.map((text) => ({ text, document: document.name })));
    read.push({ name: document.name, hash: document.hash, messages: hashes });
  }
  return { from, chunks, documents: read, unchanged };
}

function countEach(hashes: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const hash of hashes) counts.set(hash, (counts.get(hash) ?? 0) + 1);
  return counts;
}

/** The memory's description after the plan is read; the memory itself is put in by the caller. */
export function afterReading(kept: KeptMemory, plan: Plan): KeptMemory {
  const replaced = new Set(plan.documents.map((document) => document.name));
  return {
    memory: kept.memory,
    chunks: [...kept.chunks, ...plan.chunks],
    documents: [...kept.documents.filter((document) => !replaced.has(document.name)), ...plan.documents],
  };
}

export interface Reading {
  readonly folder: string;
  /** Sessions of a run that was killed, in order. */
  readonly records: readonly SessionRecord[];
  append(record: SessionRecord): void;
  /** Lets go of the folder; what is in it stays for the next run. */
  close(): void;
  /** The result is saved: nothing of the folder is needed any more. */
  finish(): void;
}

/** The plan of a killed run that still fits the memory, or null. */
export function unfinishedPlan(folder: string, from: number): Plan | null {
  const path = join(folder, "plan.json");
  if (!existsSync(path)) return null;
  const plan = JSON.parse(readFileSync(path, "utf8")) as Plan;
  return plan.from === from ? plan : null;
}

export const readingFolder = (store: string, key: MemoryKey) =>
  join(dirname(store), "reading", contentHash(JSON.stringify([store, key.namespace, key.id])));

/** One reader of a memory at a time: the second gets a sentence, not a mixed log. */
export function openReading(folder: string, plan: Plan): Reading {
  mkdirSync(folder, { recursive: true });
  const lock = takeProcessLock(join(folder, "lock"), "memorize of this memory");
  const path = join(folder, "plan.json");
  const text = JSON.stringify(plan);
  if (!existsSync(path) || readFileSync(path, "utf8") !== text) {
    for (const name of ["records.jsonl", "texts.jsonl"]) rmSync(join(folder, name), { force: true });
    writeWhole(path, text);
  }
  const records = readRecords(folder);
  const log = openRecordLog(folder);
  const close = () => {
    log.close();
    lock.release();
  };
  return {
    folder,
    records,
    append: (record) => log.append(record),
    close,
    finish: () => {
      close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
