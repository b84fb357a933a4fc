/** Runs the words benchmark into a folder, and reads a folder in a form in which equal runs are equal. */
import { type EvaluateOptions, type EvaluateResult, evaluate } from "../../evals/evaluate.ts";
import { createRunFolder, openRunFolder, type RunConfig, readRecords, readScores } from "../../evals/run-folder.ts";
import { loadVariant } from "../../graphs/variants/load-variant.ts";
import { loadPrompts } from "../../nodes/prompts/prompts.ts";
import { SessionLimits } from "../../nodes/session/limits.ts";
import { type SessionRecord, withoutTimes } from "../../nodes/session/record.ts";
import { createSource } from "../../retrieval/source.ts";
import { noTimeLimits } from "../../rollouts/time-limits.ts";
import { toolsets } from "../../tools/toolsets.ts";
import { wordKeeper, wordsBenchmark } from "./invented-benchmark.ts";

export type WordsRun = Partial<EvaluateOptions> & { readonly config?: Record<string, unknown>; readonly spec?: string };

const prompts = loadPrompts();

export const wordsConfig = (more: Partial<RunConfig> = {}): RunConfig => ({
  v: 1,
  umagraph: "0.1.0",
  name: "words",
  created: "2026-01-02T03:04:05.000Z",
  benchmark: { name: "words", config: {} },
  variant: { spec: "uma", name: "uma", paper: "UMA" },
  policy: { spec: { policy: "word-keeper" }, name: "word-keeper", scripted: true },
  toolset: "paper",
  prompts: { name: prompts.name, hash: prompts.hash },
  limits: SessionLimits.parse({}),
  rollout: { G: 1, M: null },
  time: noTimeLimits,
  seed: 5,
  concurrency: 3,
  ...more,
});

/** A new run. */
export async function runWords(
  path: string,
  { config = {}, spec = "uma", ...options }: WordsRun = {},
): Promise<EvaluateResult> {
  createRunFolder(
    path,
    wordsConfig({
      benchmark: { name: "words", config },
      variant: { spec, name: (await loadVariant(spec)).name, paper: spec },
    }),
  );
  return resumeWords(path, options);
}

/** Goes on with a run, as another process would. */
export async function resumeWords(path: string, options: Partial<EvaluateOptions> = {}): Promise<EvaluateResult> {
  const folder = openRunFolder(path);
  return evaluate({
    folder,
    benchmark: wordsBenchmark,
    variant: await loadVariant(folder.config.variant.spec),
    policy: wordKeeper(),
    toolset: toolsets.paper,
    prompts,
    openSource: (chunks) => createSource(chunks),
    ...options,
  });
}

/** Records without times and in the order of their ids, and the scores. */
export const resultsOf = (path: string) => ({ records: normalised(readRecords(path)), scores: readScores(path) });

export const normalised = (records: readonly SessionRecord[]): SessionRecord[] =>
  records.map(withoutTimes).sort((a, b) => (a.id < b.id ? -1 : 1));

export const idsOf = (path: string) => readRecords(path).map(({ id }) => id);
