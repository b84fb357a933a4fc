/**
 * A training folder as a run leaves it, with real sessions: the faulty expert stands for the start, the expert for the end.
 * The numbers of the updates between are invented.
 */
import { appendFileSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import type { Benchmark } from "../../../evals/benchmark.ts";
import { ledgerQa } from "../../../evals/benchmarks/ledger-qa/benchmark.ts";
import { evaluate } from "../../../evals/evaluate.ts";
import { createRunFolder, readContexts, readRecords, readScores } from "../../../evals/run-folder.ts";
import { clusterBootstrap } from "../../../evals/statistics/cluster-bootstrap.ts";
import { loadVariant } from "../../../graphs/variants/load-variant.ts";
import { loadPrompts } from "../../../nodes/prompts/prompts.ts";
import { SessionLimits } from "../../../nodes/session/limits.ts";
import { createPolicy } from "../../../policies/index.ts";
import type { PolicySpec } from "../../../policies/policy.ts";
import { createSource } from "../../../retrieval/source.ts";
import { noTimeLimits } from "../../../rollouts/time-limits.ts";
import { toolsets } from "../../../tools/toolsets.ts";
import { habitRates } from "../../../trainers/habits/habit-rates.ts";
import type { EvaluationLine, MetricsLine, TimingLine } from "../../../trainers/run/metrics-line.ts";
import { trainingFiles } from "../../../trainers/run/training-folder.ts";

export const temporaryFolder = () => mkdtempSync(join(tmpdir(), "umagraph-training-"));

export const config = {
  v: 1,
  umagraph: "0.1.0",
  scale: "demo",
  seed: 3,
  recipe: {
    kind: "rl",
    name: "invented",
    summary: "A run that nobody made, with <b>marks</b> & signs.",
    updates: 6,
    async: 0,
    evaluation: { data: [{ benchmark: "ledger-qa", contexts: 6 }], every: 3 },
  },
};

export function beginTraining(folder: string, more: Record<string, unknown> = {}): string {
  mkdirSync(folder, { recursive: true });
  writeFileSync(trainingFiles.config(folder), JSON.stringify({ ...config, ...more }));
  return folder;
}

export const append = (file: string, line: object) => appendFileSync(file, `${JSON.stringify(line)}\n`);

const prompts = loadPrompts("micro");

/** Runs six held-out contexts into the folder and writes the evaluation's line. */
export async function evaluated(folder: string, update: number, spec: PolicySpec): Promise<EvaluationLine> {
  const benchmark = {
    name: "ledger-qa",
    config: { profile: "micro", horizon: [4], contexts: 6, questions: 5, seed: 11 },
  };
  const path = trainingFiles.evaluation(folder, update, "sampled", "ledger-qa");
  mkdirSync(dirname(path), { recursive: true });
  const variant = await loadVariant("uma");
  const policy = await createPolicy(spec);
  const run = createRunFolder(path, {
    v: 1,
    umagraph: "0.1.0",
    name: `update-${update}`,
    created: "2026-01-02T03:04:05.000Z",
    benchmark,
    variant: { spec: "uma", name: variant.name, paper: variant.paper },
    policy: { spec, name: policy.name, scripted: true },
    toolset: "ledger",
    prompts: { name: prompts.name, hash: prompts.hash },
    limits: SessionLimits.parse({}),
    rollout: { G: 1, M: null },
    time: noTimeLimits,
    seed: 1,
    concurrency: 4,
  });
  await evaluate({
    ...{ folder: run, benchmark: ledgerQa as unknown as Benchmark, variant, policy, prompts },
    toolset: toolsets.ledger,
    openSource: (chunks) => createSource(chunks),
  });
  const values = readScores(path).map((score) => ({
    cluster: score.context,
    value: score.metrics[ledgerQa.headline]!,
  }));
  const { mean, low, high, n, clusters } = clusterBootstrap(values, { seed: 0 });
  const records = readRecords(path);
  const line: EvaluationLine = {
    update,
    weights: `update-000${update}`,
    sampled: { mean, low, high, n, contexts: clusters },
    greedy: null,
    validity: 0.9,
    habits: await habitRates([{ benchmark, contexts: readContexts(path), records }]),
    folders: { sampled: [relative(folder, path)], greedy: [] },
  };
  append(trainingFiles.evaluations(folder), line);
  return line;
}

export function updated(update: number, more: Partial<MetricsLine> = {}): MetricsLine {
  const share = update / 10;
  return {
    update,
    weights: `update-000${update - 1}`,
    staleness: 0,
    contexts: 3,
    sessions: { memory: 48, qa: 240, failed: 0 },
    tokens: { sampled: 4_000, prompt: 20_000 },
    reward: { memory: share, qa: share + 0.1 },
    outcome: share + 0.05,
    validity: { memory: 0.8, qa: null },
    zeroAdvantage: 3,
    noAdvantage: 0,
    flatGroups: 0.25,
    steps: [
      {
        objective: 0.1,
        tokens: 2_000,
        ratio: 1,
        clipShare: 0.02,
        klOld: 1e-4,
        klRef: 0.01 * update,
        entropy: 0.5,
        gradNorm: 1.5,
        learningRate: 6e-4,
      },
      {
        objective: 0.1,
        tokens: 2_000,
        ratio: 1,
        clipShare: 0.04,
        klOld: 3e-4,
        klRef: 0.03 * update,
        entropy: 0.4,
        gradNorm: 0.5,
        learningRate: 6e-4,
      },
    ],
    samplerMismatch: 1e-5,
    skipped: null,
    warnings: [],
    habits: { miss: { rate: 0.1, occasions: 100 }, editAttempted: { rate: 0.5 - share / 2, occasions: 12 } },
    ...more,
  };
}

export const timed = (update: number): TimingLine => ({
  update,
  seconds: { collect: 6, reward: 0.1, update: 5, evaluate: 1 },
  tokensPerSecond: 1_000 + update,
});

/** Six updates; evaluations before and after by real sessions, and one in the middle whose numbers are invented. */
export async function inventTraining(folder: string): Promise<string> {
  beginTraining(folder);
  const first = await evaluated(folder, 0, { policy: "ledger-expert", habits: true });
  const middle = { mean: 0.6, low: 0.4, high: 0.8, n: 30, contexts: 6 };
  for (const update of [1, 2, 3, 4, 5, 6]) {
    const skipped = update === 4 ? { steps: [], skipped: "no session has an advantage", samplerMismatch: null } : {};
    const warnings = update > 4 ? ["Entropy is low: <script>alert(1)</script>"] : [];
    append(trainingFiles.metrics(folder), updated(update, { ...skipped, warnings }));
    append(trainingFiles.timing(folder), timed(update));
    if (update === 3) append(trainingFiles.evaluations(folder), { ...first, update, sampled: middle });
  }
  await evaluated(folder, 6, { policy: "ledger-expert", style: "entries" });
  return folder;
}
