/**
 * benchmark × variant × policy → a run folder (decisions §10).
 *
 * The memory is built once per context and reused by its questions, also by those asked in mid-stream (a memory is a
 * value, so the one after chunk k is simply kept). A killed run continues from its records: finished sessions are neither
 * lost nor run again. A session that fails is data, and its siblings go on; only what is no session's fault is thrown.
 */
import { join } from "node:path";
import { UmaError } from "../base/errors.ts";
import type { Packing } from "../base/packed-file.ts";
import { takeProcessLock } from "../base/process-lock.ts";
import type { Variant } from "../graphs/variants/variant.ts";
import type { Prompts } from "../nodes/prompts/prompts.ts";
import type { SessionRecord } from "../nodes/session/record.ts";
import type { Policy } from "../policies/policy.ts";
import type { Source } from "../retrieval/source.ts";
import { createHalt, type Halt, type StopReason } from "../rollouts/halt.ts";
import { type EnginePool, openEngine } from "../rollouts/open-engine.ts";
import type { ThreadDeath } from "../rollouts/pool/pool-engine.ts";
import { packRecordLog } from "../rollouts/record-log.ts";
import { runRollouts } from "../rollouts/run-rollouts.ts";
import { type JournalCounts, openJournal } from "../rollouts/session-journal.ts";
import type { Toolset } from "../tools/toolsets.ts";
import type { Benchmark } from "./benchmark.ts";
import { takeContexts } from "./context-queue.ts";
import { type RunFolder, readContexts, writeScores } from "./run-folder.ts";
import { scoreRecords } from "./score.ts";

export interface EvaluateOptions {
  readonly folder: RunFolder;
  readonly benchmark: Benchmark;
  readonly variant: Variant;
  readonly policy: Policy;
  readonly toolset: Toolset;
  readonly prompts: Prompts;
  readonly openSource: (chunks: readonly string[]) => Source;
  /** Instead of the one in the folder's config; results do not depend on it. */
  readonly concurrency?: number;
  /** Runs sessions again that ended with an error, and what came after a failed memory session in its context. */
  readonly retryFailed?: boolean;
  /** So many sessions in a row without a reply of the policy, and the run stops (default 20; 0 for never). */
  readonly giveUpAfter?: number;
  /** A larger share of failed sessions than this, and the run stops (default 1: never). */
  readonly maxFailedShare?: number;
  /** Threads to run the sessions on; on this one without it. Results do not depend on it. */
  readonly pool?: EnginePool | null;
  /** Compresses the log when the run is complete. */
  readonly packing?: Packing;
  readonly onDeath?: (death: ThreadDeath) => void;
  /** Asked before each session: true lets the running ones finish and starts no more. */
  readonly stopping?: () => boolean;
  /** Cuts the running sessions short; they are run again when the run is resumed. */
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: EvaluateProgress) => void;
  /** Each session as it finishes, for those who want to watch. */
  readonly onRecord?: (record: SessionRecord) => void;
}

export interface EvaluateProgress extends JournalCounts {
  readonly context: string;
  readonly session: string;
  /** Of the contexts loaded so far. */
  readonly total: number;
  /** False while contexts are still being loaded, when `total` is a lower bound. */
  readonly totalIsFinal: boolean;
}

export interface EvaluateResult extends JournalCounts {
  readonly complete: boolean;
  /** Why it is not complete; null when it is. */
  readonly stopped: StopReason | null;
}

export const defaultGiveUpAfter = 20;

/** Throws `conflict` while another process works on the folder, `config` or `input` when the run was begun with something else. */
export async function evaluate(options: EvaluateOptions): Promise<EvaluateResult> {
  refuseOtherSetup(options);
  const lock = takeProcessLock(join(options.folder.path, "lock"), `evaluation of ${options.folder.path}`);
  try {
    return await evaluateLocked(options);
  } finally {
    lock.release();
  }
}

async function evaluateLocked(options: EvaluateOptions): Promise<EvaluateResult> {
  const { folder, benchmark, variant } = options;
  const { config } = folder;
  const concurrency = options.concurrency ?? config.concurrency;
  const halt = createHalt(options);
  const journal = openJournal(folder.path, {
    run: config.name,
    halt,
    retryFailed: options.retryFailed ?? false,
    giveUpAfter: options.giveUpAfter ?? defaultGiveUpAfter,
    maxFailedShare: options.maxFailedShare ?? 1,
  });
  const contexts = takeContexts(folder, benchmark, halt);
  const { limits, seed, time } = config;
  const engine = openEngine({ ...options, ...{ limits, seed, time, concurrency, halt }, run: config.name });
  let total = 0;
  const { unfinished } = await runRollouts({
    engine,
    halt,
    concurrency,
    ...config.rollout,
    seed,
    keepsMemory: variant.keepsMemory,
    next: contexts.next,
    finished: journal.finished,
    onContext: (_, sessions) => {
      total += sessions;
    },
    record(session) {
      journal.record(session);
      options.onRecord?.(session);
      options.onProgress?.({
        ...journal.counts(),
        context: session.context,
        session: session.id,
        total,
        totalIsFinal: contexts.ended(),
      });
    },
  });
  await attempt(halt, engine.close);
  await attempt(halt, contexts.close);
  await attempt(halt, journal.close);
  await attempt(halt, () =>
    writeScores(folder.path, scoreRecords(benchmark, readContexts(folder.path), journal.all())),
  );
  halt.rethrow();
  const complete = contexts.ended() && unfinished === 0;
  if (complete && options.packing) packRecordLog(folder.path, options.packing);
  return { ...journal.counts(), complete, stopped: complete ? null : halt.reason() };
}

/** The last steps are all tried; what broke first is what is reported. */
async function attempt(halt: Halt, step: () => void | Promise<void>): Promise<void> {
  try {
    await step();
  } catch (thrown) {
    halt.fail(thrown);
  }
}

/** A resumed run goes on with what it was begun with: anything else would mix two experiments. */
function refuseOtherSetup({ folder, variant, policy, toolset, prompts }: EvaluateOptions): void {
  const { config, path } = folder;
  const changed = (what: string, was: string, is: string) =>
    new UmaError("config", `${path} was begun with ${what} ${was}, got ${is}`, { fix: "start a new run with --out" });
  if (variant.name !== config.variant.name) throw changed("variant", config.variant.name, variant.name);
  if (policy.name !== config.policy.name) throw changed("policy", config.policy.name, policy.name);
  if (toolset.name !== config.toolset) throw changed("toolset", config.toolset, toolset.name);
  if (prompts.hash !== config.prompts.hash) {
    throw new UmaError("config", `the prompts "${config.prompts.name}" have changed since ${path} was started`, {
      fix: "start a new run with --out, or restore the prompt files",
    });
  }
}
