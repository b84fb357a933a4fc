/** A policy's folder, scored in this process on the contexts that a recipe names: what a model card reports. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { UmaError } from "../../base/errors.ts";
import { loadBenchmark } from "../../evals/benchmarks/index.ts";
import { evaluate } from "../../evals/evaluate.ts";
import { summarise } from "../../evals/reports/summary.ts";
import { createRunFolder, openRunFolder, type RunConfig, type RunFolder } from "../../evals/run-folder.ts";
import { loadVariant } from "../../graphs/variants/load-variant.ts";
import { loadPrompts } from "../../nodes/prompts/prompts.ts";
import { SessionLimits } from "../../nodes/session/limits.ts";
import { createPolicy } from "../../policies/index.ts";
import type { PolicySpec } from "../../policies/policy.ts";
import { createSource } from "../../retrieval/source.ts";
import { noTimeLimits } from "../../rollouts/time-limits.ts";
import { toolsetNamed } from "../../tools/toolsets.ts";
import type { DataSource } from "../recipes/recipe.ts";
import type { SftRecipe } from "../recipes/sft-recipe.ts";

export interface PolicyScore {
  readonly benchmark: string;
  /** The benchmark's options that the recipe gives. */
  readonly config: Readonly<Record<string, unknown>>;
  /** How tokens were chosen. */
  readonly tokens: "greedy" | "sampled";
  /** The benchmark's headline metric: mean and 95 % interval, clustered by context. */
  readonly metric: string;
  readonly mean: number | null;
  readonly low: number | null;
  readonly high: number | null;
  readonly questions: number;
  readonly contexts: number;
  /** Relative to the training's folder. */
  readonly folder: string;
}

export interface ScorePolicyOptions {
  /** The training's folder: runs are written into `scores/` of it, and gone on with where they were stopped. */
  readonly folder: string;
  /** A Hugging Face folder. */
  readonly policy: string;
  readonly scoring: NonNullable<SftRecipe["scoring"]>;
  /** Version of this package. */
  readonly umagraph: string;
  /** Threads to sample on; 0 for this one. */
  readonly pool: number;
  readonly say: (line: string) => void;
  readonly signal?: AbortSignal;
}

/** Throws `cancelled` when it was stopped. */
export async function scorePolicy(options: ScorePolicyOptions): Promise<PolicyScore[]> {
  const scores: PolicyScore[] = [];
  const ways = options.scoring.sampled ? (["greedy", "sampled"] as const) : (["greedy"] as const);
  for (const [at, source] of options.scoring.data.entries())
    for (const tokens of ways)
      scores.push(await scoreSource(source, `${at}-${source.benchmark}-${tokens}`, tokens, options));
  return scores;
}

async function scoreSource(
  source: DataSource,
  name: string,
  tokens: PolicyScore["tokens"],
  options: ScorePolicyOptions,
): Promise<PolicyScore> {
  const { scoring, folder, pool, say, signal } = options;
  const { variant, toolset, prompts } = scoring.sessions;
  const spec: PolicySpec = {
    policy: "embedded",
    model: options.policy,
    temperature: tokens === "greedy" ? 0 : 1,
  };
  const benchmark = await loadBenchmark(source.benchmark);
  const policy = await createPolicy(spec);
  const place = join("scores", name);
  const run = await openRun(join(folder, place), source, spec, name, options);
  say(`scores: ${name}`);
  const result = await evaluate({
    ...{ folder: run, benchmark, policy },
    pool: { threads: pool, policy: spec, variant },
    variant: await loadVariant(variant),
    toolset: toolsetNamed(toolset),
    prompts: loadPrompts(prompts),
    openSource: (chunks) => createSource(chunks),
    ...(signal && { signal, stopping: () => signal.aborted }),
  });
  if (!result.complete) throw new UmaError("cancelled", `stopped while ${name} was being scored`);
  const [group] = summarise([run.path], { headlines: { [benchmark.name]: benchmark.headline } }).groups;
  const metric = group!.metrics[benchmark.headline]!;
  return {
    ...{ benchmark: benchmark.name, config: source.config, tokens, metric: benchmark.headline, folder: place },
    ...{ mean: metric.mean, low: metric.low, high: metric.high, questions: metric.n, contexts: metric.clusters },
  };
}

async function openRun(
  path: string,
  source: DataSource,
  spec: PolicySpec,
  name: string,
  { scoring, umagraph, pool }: ScorePolicyOptions,
): Promise<RunFolder> {
  if (existsSync(join(path, "config.json"))) return openRunFolder(path);
  const { variant, toolset, prompts, limits, time } = scoring.sessions;
  const benchmark = await loadBenchmark(source.benchmark);
  const made = { variant: await loadVariant(variant), policy: await createPolicy(spec), prompts: loadPrompts(prompts) };
  const perHorizon = Math.ceil(source.contexts / [source.config.horizon ?? 0].flat().length);
  const config: RunConfig = {
    v: 1,
    umagraph,
    name,
    created: new Date().toISOString(),
    benchmark: {
      name: benchmark.name,
      config: benchmark.config.parse({ ...source.config, contexts: perHorizon }) as Record<string, unknown>,
    },
    variant: { spec: variant, name: made.variant.name, paper: made.variant.paper },
    policy: { spec, name: made.policy.name, scripted: made.policy.scripted },
    toolset,
    prompts: { name: made.prompts.name, hash: made.prompts.hash },
    limits: SessionLimits.parse(limits),
    rollout: { G: 1, M: source.M ?? null },
    time: { ...noTimeLimits, ...time },
    seed: 0,
    concurrency: Math.max(8, pool * 8),
  };
  return createRunFolder(path, config);
}
