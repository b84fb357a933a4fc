/**
 * A run is its folder (contracts §10): everything that scoring, reports and resuming need, nothing outside.
 *
 *     config.json     what was run, resolved, written before any work
 *     contexts.jsonl  the questions and golds of each context, written before its first session
 *     records.jsonl   one line per finished session
 *     texts.jsonl     long repeated texts of records by hash (prompts, chunks)
 *     retries.jsonl   which sessions were to be run again, when there were any
 *     scores.jsonl    metric values per QA session, rewritten by scoring
 *     report.html     written by `umagraph report`
 *     lock            there while a process works on the run
 */
import { existsSync, linkSync, readdirSync, readFileSync, renameSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { messageOf, UmaError } from "../base/errors.ts";
import { contentHash } from "../base/hash.ts";
import { problemSentence, valueProblems } from "../base/issue-sentence.ts";
import { readJsonl } from "../base/jsonl.ts";
import { makeFolder } from "../base/make-folder.ts";
import { SessionLimits } from "../nodes/session/limits.ts";
import { noTimeLimits } from "../rollouts/time-limits.ts";
import type { EvalContext } from "./benchmark.ts";

export { readRecordLog, readRecords } from "../rollouts/record-log.ts";

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
  /** Trajectories per context, and how many of its questions each of them is asked; null for all of them. */
  rollout: z.object({ G: z.int().min(1), M: z.int().min(1).nullable() }).default({ G: 1, M: null }),
  /** ms; null for no limit. */
  time: z
    .object({ turn: z.number().positive().nullable(), session: z.number().positive().nullable() })
    .default(noTimeLimits),
  seed: z.int(),
  /** Contexts at a time, and sessions at a time over all of them. Results do not depend on it. */
  concurrency: z.int().min(1),
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
  refuseTakenFolder(path);
  const made = makeFolder(path, "choose a writable place with --out");
  try {
    writeNew(join(path, "config.json"), `${JSON.stringify(config, null, 2)}\n`);
  } catch (cause) {
    if (existsSync(join(path, "config.json"))) throw alreadyARun(path);
    if (made) removeEmpty(path);
    throw new UmaError("store", `cannot write ${join(path, "config.json")}: ${messageOf(cause)}`, {
      fix: "free some space, or choose a writable place with --out",
      cause,
    });
  }
  return { path, config };
}

function removeEmpty(path: string): void {
  try {
    rmdirSync(path);
  } catch {
    // not empty, or never made
  }
}

/** Throws `config` when a new run cannot begin in this place, before anything is written. */
export function refuseTakenFolder(path: string): void {
  if (!existsSync(path)) return;
  if (existsSync(join(path, "config.json"))) throw alreadyARun(path);
  const fix = "choose another folder with --out";
  let names: string[];
  try {
    names = readdirSync(path);
  } catch (cause) {
    throw new UmaError("config", `${path} is not a folder: ${messageOf(cause)}`, { fix, cause });
  }
  const [taken] = names.filter((name) => !name.endsWith(".tmp"));
  if (taken !== undefined)
    throw new UmaError("config", `${path} is not empty (it holds ${taken}); a run needs a folder of its own`, { fix });
}

const alreadyARun = (path: string) =>
  new UmaError("config", `${path} already holds a run`, {
    fix: "continue it with --resume, or choose another folder with --out",
  });

export function openRunFolder(path: string): RunFolder {
  const file = join(path, "config.json");
  if (!existsSync(file)) {
    throw new UmaError("input", `${path} is not a run folder: it has no config.json`, {
      fix: "give a folder that `umagraph eval` or `umagraph rollout` has written",
    });
  }
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(file, "utf8"));
  } catch (cause) {
    throw new UmaError("input", `${file}: expected the JSON that \`umagraph eval\` has written: ${messageOf(cause)}`, {
      cause,
    });
  }
  const parsed = RunConfig.safeParse(value);
  if (!parsed.success) throw new UmaError("input", `${file}: ${problemSentence(valueProblems(parsed.error, value))}`);
  return { path, config: parsed.data };
}

export const readContexts = (folder: string) => readJsonl<ContextLine>(join(folder, "contexts.jsonl")).values;
export const readScores = (folder: string) => readJsonl<ScoreLine>(join(folder, "scores.jsonl")).values;

export function writeScores(folder: string, scores: readonly ScoreLine[]): void {
  writeWhole(join(folder, "scores.jsonl"), scores.map((score) => `${JSON.stringify(score)}\n`).join(""));
}

/** Written beside and renamed, so that a reader never sees half a file and a failed write leaves the old one. */
export function writeWhole(path: string, text: string): void {
  try {
    writeBeside(path, text, (beside) => renameSync(beside, path));
  } catch (cause) {
    throw new UmaError("store", `cannot write ${path}: ${messageOf(cause)}`, {
      fix: "free some space or choose a writable folder",
      cause,
    });
  }
}

/** Fails with EEXIST when somebody else was first. */
function writeNew(path: string, text: string): void {
  writeBeside(path, text, (beside) => {
    try {
      linkSync(beside, path);
      rmSync(beside);
    } catch (thrown) {
      // file systems without hard links
      if (existsSync(path)) throw Object.assign(new Error(`${path} exists`, { cause: thrown }), { code: "EEXIST" });
      renameSync(beside, path);
    }
  });
}

function writeBeside(path: string, text: string, place: (beside: string) => void): void {
  const beside = `${path}.${process.pid}.tmp`;
  try {
    writeFileSync(beside, text, { flush: true });
    place(beside);
  } catch (cause) {
    rmSync(beside, { force: true });
    throw cause;
  }
}
