/**
 * A run is its folder (contracts §10): everything that scoring, reports and resuming need, nothing outside.
 *
 *     config.json     what was run, resolved, written before any work
 *     contexts.jsonl  the questions and golds of each context, written before its first session
 *     records.jsonl   one line per finished session, fsync'd
 *     texts.jsonl     long repeated texts of records by hash (prompts, chunks)
 *     scores.jsonl    metric values per QA session, rewritten by scoring
 *     report.html     written by `umagraph report`
 */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { messageOf, UmaError } from "../base/errors.ts";
import { contentHash } from "../base/hash.ts";
import { type JsonlWriter, openJsonl, readJsonl } from "../base/jsonl.ts";
import { SessionLimits } from "../nodes/session/limits.ts";
import { parseRecord, type SessionRecord } from "../nodes/session/record.ts";
import type { EvalContext } from "./benchmark.ts";

export const RunConfig = z.object({
  v: z.literal(1),
  /** Version of this package. */
  umagraph: z.string(),
  name: z.string(),
  created: z.string(),
  benchmark: z.object({ name: z.string(), config: z.record(z.string(), z.unknown()) }),
  variant: z.object({ spec: z.string(), name: z.string(), paper: z.string() }),
  /** The spec holds no secrets. */
  policy: z.object({ spec: z.record(z.string(), z.unknown()), name: z.string(), scripted: z.boolean() }),
  toolset: z.string(),
  prompts: z.object({ name: z.string(), hash: z.string() }),
  limits: SessionLimits,
  seed: z.int(),
  /** Contexts at a time, and questions at a time within a context. Results do not depend on it. */
  concurrency: z.int(),
});
export type RunConfig = z.infer<typeof RunConfig>;

/** One line of contexts.jsonl: the context without its chunks, which the benchmark can load again and the hash vouches for. */
export interface ContextLine extends Omit<EvalContext, "chunks"> {
  readonly chunks: number;
  readonly hash: string;
}

/** One line of scores.jsonl. */
export interface ScoreLine {
  /** The QA session's record id. */
  readonly session: string;
  readonly context: string;
  readonly question: string;
  readonly category: string;
  /** What was scored; null when there is nothing to score (the session failed). */
  readonly prediction: string | null;
  readonly gold: string | null;
  /** Metric name → value; null is "not scored" and stays out of every mean. */
  readonly metrics: Readonly<Record<string, number | null>>;
}

export const contextLine = (context: EvalContext): ContextLine => ({
  ...context,
  chunks: context.chunks.length,
  hash: contentHash(JSON.stringify([context.chunks, context.questions])),
});

export interface RunFolder {
  readonly path: string;
  readonly config: RunConfig;
}

/** Makes the folder and writes config.json. An existing run is never overwritten: resume it or choose another name. */
export function createRunFolder(path: string, config: RunConfig): RunFolder {
  if (existsSync(join(path, "config.json"))) {
    throw new UmaError("config", `${path} already holds a run`, {
      fix: "continue it with --resume, or choose another folder with --out",
    });
  }
  try {
    mkdirSync(path, { recursive: true });
  } catch (cause) {
    throw new UmaError("store", `cannot make the run folder ${path}: ${messageOf(cause)}`, {
      fix: "choose a writable place with --out",
      cause,
    });
  }
  writeWhole(join(path, "config.json"), `${JSON.stringify(config, null, 2)}\n`);
  return { path, config };
}

export function openRunFolder(path: string): RunFolder {
  const file = join(path, "config.json");
  if (!existsSync(file)) {
    throw new UmaError("input", `${path} is not a run folder: it has no config.json`, {
      fix: "give a folder that `umagraph eval` has written",
    });
  }
  const parsed = RunConfig.safeParse(JSON.parse(readFileSync(file, "utf8")));
  if (!parsed.success) throw new UmaError("input", `${file}: ${z.prettifyError(parsed.error)}`);
  return { path, config: parsed.data };
}

/** Shorter texts are not worth a reference. */
const LONG_TEXT = 300;

type LoggedMessage = Omit<SessionRecord["messages"][number], "text"> & { text?: string; ref?: string };

export interface RecordLog {
  append(record: SessionRecord): void;
  close(): void;
}

/** Appends records; long message texts go once into texts.jsonl, observations stay on their calls only. */
export function openRecordLog(folder: string): RecordLog {
  const textsPath = join(folder, "texts.jsonl");
  const known = new Set(readJsonl<{ ref: string }>(textsPath).values.map((line) => line.ref));
  // texts are written before the record that names them; only the record's fsync matters
  const texts: JsonlWriter = openJsonl(textsPath, { fsync: false });
  const records: JsonlWriter = openJsonl(join(folder, "records.jsonl"));
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
    },
    close() {
      texts.close();
      records.close();
    },
  };
}

/** Every finished session of the run, whole, in the order in which they finished. */
export function readRecords(folder: string): SessionRecord[] {
  const texts = new Map(
    readJsonl<{ ref: string; text: string }>(join(folder, "texts.jsonl")).values.map(({ ref, text }) => [ref, text]),
  );
  return readJsonl<SessionRecord & { messages: LoggedMessage[] }>(join(folder, "records.jsonl")).values.map((logged) => {
    const observations = new Map(logged.calls?.map((call) => [call.id, call.observation]));
    const messages = logged.messages?.map(({ ref, text, ...message }: LoggedMessage) => ({
      ...message,
      text: text ?? (ref === undefined ? (observations.get(message.callId ?? "") ?? "") : (texts.get(ref) ?? "")),
    }));
    return parseRecord({ ...logged, messages });
  });
}

export const readContexts = (folder: string) => readJsonl<ContextLine>(join(folder, "contexts.jsonl")).values;
export const readScores = (folder: string) => readJsonl<ScoreLine>(join(folder, "scores.jsonl")).values;

export function writeScores(folder: string, scores: readonly ScoreLine[]): void {
  writeWhole(join(folder, "scores.jsonl"), scores.map((score) => `${JSON.stringify(score)}\n`).join(""));
}

/** Written beside and renamed, so that a reader never sees half a file. */
export function writeWhole(path: string, text: string): void {
  try {
    writeFileSync(`${path}.tmp`, text);
    renameSync(`${path}.tmp`, path);
  } catch (cause) {
    throw new UmaError("store", `cannot write ${path}: ${messageOf(cause)}`, {
      fix: "free some space or choose a writable folder",
      cause,
    });
  }
}
