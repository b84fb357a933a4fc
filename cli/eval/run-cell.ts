/** Runs one planned run to its end, or as far as it gets, with progress on stderr. */
import { UmaError } from "../../base/errors.ts";
import type { Packing } from "../../base/packed-file.ts";
import { loadBenchmark } from "../../evals/benchmarks/index.ts";
import { type EvaluateResult, evaluate } from "../../evals/evaluate.ts";
import { loadVariant } from "../../graphs/variants/load-variant.ts";
import { loadPrompts } from "../../nodes/prompts/prompts.ts";
import type { SessionRecord } from "../../nodes/session/record.ts";
import { createEmbeddingCache } from "../../retrieval/embedding-cache.ts";
import { createSource } from "../../retrieval/source.ts";
import { toolsetNamed } from "../../tools/toolsets.ts";
import type { Interrupt } from "../interrupt.ts";
import { policyFrom } from "../policy-flags.ts";
import type { Terminal } from "../terminal.ts";
import type { PlannedRun } from "./plan-runs.ts";

export interface CellOptions {
  readonly retryFailed: boolean;
  readonly giveUpAfter: number;
  readonly maxFailed: number;
  /** Threads; 0 for this one. */
  readonly pool: number;
  /** Instead of the config's. */
  readonly concurrency: number | undefined;
  /** Tells the run apart in the progress of a batch. */
  readonly label: string;
  /** How to compress the log when the run is complete. */
  readonly packing?: Packing | undefined;
  /** Where what the policy is shown and replies is written to. */
  readonly recordTranscript?: string | undefined;
  /** Tells of each session in place of a line of progress. */
  readonly onRecord?: (record: SessionRecord) => void;
}

export async function runCell(
  { folder, spec }: PlannedRun,
  { label, concurrency, recordTranscript, pool, maxFailed, packing, ...options }: CellOptions,
  interrupt: Interrupt,
  terminal: Terminal,
): Promise<EvaluateResult> {
  const { config } = folder;
  if (pool > 0 && recordTranscript !== undefined)
    throw new UmaError("config", "a transcript is written by one thread: --record-transcript needs --pool 0");
  const cache = createEmbeddingCache();
  const progress = options.onRecord ? null : terminal.progress();
  try {
    return await evaluate({
      ...options,
      ...(concurrency !== undefined && { concurrency }),
      folder,
      maxFailedShare: maxFailed,
      ...(packing !== undefined && { packing }),
      pool: { threads: pool, policy: spec, variant: config.variant.spec },
      onDeath: ({ session, message, again }) =>
        terminal.note(
          `${session}: its thread died (${message}); ${again ? "running it again" : "it counts as failed"}`,
        ),
      benchmark: await loadBenchmark(config.benchmark.name),
      variant: await loadVariant(config.variant.spec),
      policy: await policyFrom(spec, terminal, { recordTranscript }),
      toolset: toolsetNamed(config.toolset),
      prompts: loadPrompts(config.prompts.name),
      openSource: (chunks) => createSource(chunks, { cache }),
      stopping: interrupt.stopping,
      signal: interrupt.signal,
      onProgress: ({ done, total, totalIsFinal, resumed, failed, context }) =>
        progress?.update({
          done,
          // a lower bound would show a wrong share and a wrong time left
          total: totalIsFinal ? total : null,
          skipped: resumed,
          note: `${label}${context}${failed > 0 ? ` · ${failed} failed` : ""}`,
        }),
    });
  } finally {
    progress?.end();
    cache.close();
  }
}
