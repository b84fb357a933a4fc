/**
 * benchmark × variant × policy → a run folder (decisions §10).
 *
 * The memory is built once per context and reused by its questions, also by those asked in mid-stream (a memory is a
 * value, so the one after chunk k is simply kept). A killed run continues from its records: finished sessions are neither
 * lost nor run again.
 */
import { join } from "node:path";
import { UmaError } from "../base/errors.ts";
import { openJsonl } from "../base/jsonl.ts";
import { takeProcessLock } from "../base/process-lock.ts";
import type { Variant, VariantEnv } from "../graphs/variants/variant.ts";
import type { Prompts } from "../nodes/prompts/prompts.ts";
import type { SessionRecord } from "../nodes/session/record.ts";
import type { Policy } from "../policies/policy.ts";
import type { Source } from "../retrieval/source.ts";
import type { Toolset } from "../tools/toolsets.ts";
import type { Benchmark, EvalContext, Question } from "./benchmark.ts";
import { contextLine, openRecordLog, type RunFolder, readContexts, readRecords, writeScores } from "./run-folder.ts";
import { scoreRecords } from "./score.ts";
import { type SessionSlots, sessionSlots } from "./session-slots.ts";

export interface EvaluateOptions {
  readonly folder: RunFolder;
  readonly benchmark: Benchmark;
  readonly variant: Variant;
  readonly policy: Policy;
  readonly toolset: Toolset;
  readonly prompts: Prompts;
  readonly openSource: (chunks: readonly string[]) => Source;
  /** Asked before each session: true lets the running ones finish and starts no more. */
  readonly stopping?: () => boolean;
  /** Cuts the running sessions short; they are run again when the run is resumed. */
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: EvaluateProgress) => void;
  /** Each session as it finishes, for those who want to watch. */
  readonly onRecord?: (record: SessionRecord) => void;
}

export interface EvaluateProgress {
  readonly context: string;
  readonly session: string;
  /** Finished in this process and before. */
  readonly done: number;
  /** Finished before this process started. */
  readonly resumed: number;
  /** Of the contexts loaded so far. */
  readonly total: number;
  /** False while contexts are still being loaded, when `total` is a lower bound. */
  readonly totalIsFinal: boolean;
  readonly failed: number;
}

export interface EvaluateResult {
  /** False when it was stopped before the end. */
  readonly complete: boolean;
  readonly sessions: number;
  readonly failed: number;
}

export async function evaluate(options: EvaluateOptions): Promise<EvaluateResult> {
  const lock = takeProcessLock(join(options.folder.path, "lock"), `evaluation of ${options.folder.path}`);
  try {
    return await evaluateLocked(options);
  } finally {
    lock.release();
  }
}

async function evaluateLocked(options: EvaluateOptions): Promise<EvaluateResult> {
  const { folder, benchmark, variant } = options;
  const finished = new Map(readRecords(folder.path).map((record) => [record.id, record]));
  const knownContexts = new Map(readContexts(folder.path).map((line) => [line.id, line]));
  const contextsLog = openJsonl(join(folder.path, "contexts.jsonl"));
  const log = openRecordLog(folder.path);
  const slots = sessionSlots(folder.config.concurrency);
  const resumed = finished.size;
  let total = 0;
  let totalIsFinal = false;
  let failed = [...finished.values()].filter((record) => record.error).length;
  const stopping = () => (options.stopping?.() ?? false) || (options.signal?.aborted ?? false);

  const record = (session: SessionRecord) => {
    if (session.end === "cancelled") return; // unfinished: the resumed run samples it again
    finished.set(session.id, session);
    log.append(session);
    if (session.error) failed++;
    options.onRecord?.(session);
    options.onProgress?.({
      context: session.context,
      session: session.id,
      done: finished.size,
      resumed,
      total,
      totalIsFinal,
      failed,
    });
  };

  const contexts = benchmark.load(benchmark.config.parse(folder.config.benchmark.config))[Symbol.asyncIterator]();
  const seen = new Set<string>();
  const takeContexts = async (): Promise<void> => {
    while (!stopping()) {
      const next = await contexts.next();
      if (next.done) {
        totalIsFinal = true;
        return;
      }
      const context = next.value;
      const line = contextLine(context);
      if (seen.has(line.id)) throw new UmaError("input", `${benchmark.name}: two contexts are named "${line.id}"`);
      seen.add(line.id);
      const known = knownContexts.get(line.id);
      if (known && known.hash !== line.hash) {
        throw new UmaError("input", `${line.id}: the data is not what this run was started with`, {
          fix: "start a new run with --out",
        });
      }
      if (!known) contextsLog.append(line);
      total += (variant.keepsMemory ? context.chunks.length : 0) + context.questions.length;
      await evaluateContext(context, { ...options, finished, record, slots, stopping });
    }
  };

  try {
    // several contexts at a time, so that a slow one does not leave slots idle; each keeps at most one memory in the making
    const workers = await Promise.allSettled(Array.from({ length: folder.config.concurrency }, takeContexts));
    const broken = workers.find((worker) => worker.status === "rejected");
    if (broken) throw broken.reason;
  } finally {
    contextsLog.close();
    log.close();
    const lines = readContexts(folder.path);
    writeScores(folder.path, scoreRecords(benchmark, lines, [...finished.values()]));
  }
  return { complete: !stopping(), sessions: finished.size, failed };
}

interface ContextRun extends EvaluateOptions {
  readonly finished: ReadonlyMap<string, SessionRecord>;
  readonly record: (record: SessionRecord) => void;
  readonly slots: SessionSlots;
  readonly stopping: () => boolean;
}

async function evaluateContext(context: EvalContext, run: ContextRun): Promise<void> {
  const { variant, finished, slots, stopping, folder } = run;
  const { config } = folder;
  const env: VariantEnv = {
    policy: run.policy,
    source: run.openSource(context.chunks),
    toolset: run.toolset,
    prompts: run.prompts,
    limits: config.limits,
    run: config.name,
    context: context.id,
    trajectory: 0,
    seed: config.seed,
    record: run.record,
    ...(run.signal && { signal: run.signal }),
  };
  const asked = byPosition(context.questions);
  const answering: Promise<unknown>[] = [];
  let memory = variant.begin();
  for (let k = 0; k < context.chunks.length; k++) {
    const recorded = finished.get(`${context.id}/t0/m${k}`);
    if (recorded) memory = variant.replay(memory, recorded);
    else if (stopping()) break;
    else {
      const before = memory;
      memory = await slots.run(() => variant.memorize(before, k, env));
    }
    if (run.signal?.aborted) break; // the session was cut short: later ones would read a memory that lacks it
    const snapshot = memory;
    for (const question of asked.get(k) ?? []) {
      if (finished.has(`${context.id}/t0/q${question.id}`)) continue;
      answering.push(slots.run(async () => (stopping() ? null : variant.answer(snapshot, question, env))));
    }
  }
  const answers = await Promise.allSettled(answering);
  const broken = answers.find((answer) => answer.status === "rejected");
  if (broken) throw broken.reason;
}

function byPosition(questions: readonly Question[]): Map<number, Question[]> {
  const groups = new Map<number, Question[]>();
  for (const question of questions) {
    const group = groups.get(question.position);
    if (group) group.push(question);
    else groups.set(question.position, [question]);
  }
  return groups;
}
