/** A run folder as one update's sampled contexts: what rewards and credit rules read. No session is run again. */

import type { Benchmark } from "../../evals/benchmark.ts";
import { loadBenchmark } from "../../evals/benchmarks/index.ts";
import { type RunLog, readRun } from "../../evals/reports/read-run.ts";
import type { ScoreLine } from "../../evals/run-folder.ts";
import { scoreRecords } from "../../evals/score.ts";
import type { SampledContext } from "../rewards/session-grid.ts";

export interface SampledUpdate {
  readonly run: RunLog;
  /** Contexts that have a session, in the order of the log. */
  readonly contexts: readonly SampledContext[];
  /** Every score that is used: scores.jsonl, and what it lacks. */
  readonly scores: readonly ScoreLine[];
  /** QA sessions that had no line in scores.jsonl and were scored now: the run is not finished. */
  readonly scoredNow: number;
}

export interface ReadOptions {
  /** Scores sessions that have no score yet; null scores none. Without it the run's own, by name. */
  readonly benchmark?: Pick<Benchmark, "metrics"> | null;
}

/** Throws `input` for what is no run folder. */
export async function readUpdate(folder: string, options: ReadOptions = {}): Promise<SampledUpdate> {
  const run = readRun(folder);
  const scored = new Set(run.scores.map(({ session }) => session));
  const unscored = run.records.filter(({ id, stage }) => stage === "qa" && !scored.has(id));
  const benchmark = unscored.length === 0 ? null : await benchmarkOf(run, options);
  const missing = benchmark ? scoreRecords(benchmark, run.contexts, unscored) : [];
  const scores = [...run.scores, ...missing];
  const recordsOf = byContext(run.records);
  const scoresOf = byContext(scores);
  return {
    run,
    contexts: run.contexts.flatMap((context) => {
      const records = recordsOf.get(context.id);
      return records ? [{ context, records, scores: scoresOf.get(context.id) ?? [] }] : [];
    }),
    scores,
    scoredNow: missing.length,
  };
}

function byContext<Item extends { readonly context: string }>(items: readonly Item[]): Map<string, Item[]> {
  const found = new Map<string, Item[]>();
  for (const item of items) {
    const held = found.get(item.context);
    if (held) held.push(item);
    else found.set(item.context, [item]);
  }
  return found;
}

async function benchmarkOf({ config }: RunLog, { benchmark }: ReadOptions) {
  if (benchmark !== undefined) return benchmark;
  // a benchmark of the user's own has no name here; its sessions stay unscored until its run has scored them
  return loadBenchmark(config.benchmark.name).catch(() => null);
}
