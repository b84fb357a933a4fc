/**
 * Contexts × weights → run folders, one per data source, with a mark of who sampled them.
 *
 * A killed run goes on in the same folders. What other weights had begun is thrown away: a group of two policies is a sample
 * of neither. What is complete is never sampled again, whoever asks.
 */
import { existsSync, readFileSync, rmSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { z } from "zod";
import { UmaError } from "../../base/errors.ts";
import { makeFolder } from "../../base/make-folder.ts";
import { evaluate } from "../../evals/evaluate.ts";
import { createRunFolder, openRunFolder, type RunConfig, type RunFolder, writeWhole } from "../../evals/run-folder.ts";
import { loadVariant } from "../../graphs/variants/load-variant.ts";
import { loadPrompts } from "../../nodes/prompts/prompts.ts";
import { SessionLimits } from "../../nodes/session/limits.ts";
import { createPolicy } from "../../policies/index.ts";
import { noTimeLimits } from "../../rollouts/time-limits.ts";
import { toolsetNamed } from "../../tools/toolsets.ts";
import type { PlannedSource } from "./data-plan.ts";
import type { TrainingDeps, TrainingEvent } from "./deps.ts";
import { policyOf } from "./policy-of.ts";
import { Weights, weightsName } from "./state.ts";
import { Stopped } from "./stopped.ts";

export interface SamplingOrder {
  readonly what: Extract<TrainingEvent, { kind: "sessions" }>["what"];
  readonly update: number;
  readonly weights: Weights;
  readonly sources: readonly PlannedSource[];
  /** Of a source's name. */
  readonly folderOf: (source: string) => string;
  /** The file that says who samples, and whether all is there. */
  readonly mark: string;
  readonly temperature: 0 | 1;
  readonly G: number;
  /** Of sources that say nothing themselves. */
  readonly M: number | null;
  readonly seed: number;
  readonly maxFailedShare: number;
  readonly signal: AbortSignal;
}

const Mark = z.object({ weights: Weights, complete: z.boolean(), folders: z.array(z.string()) });

export interface SampledFolders {
  /** Those that sampled, as they were known then. */
  readonly weights: Weights;
  /** Relative to the training's folder. */
  readonly folders: readonly string[];
  /** How long sampling all of them took; null when some were there already. */
  readonly seconds: number | null;
  /** Why sampling was given up; null when it is complete. */
  readonly gaveUp: { readonly why: "provider" | "failures"; readonly lastFailure: string | null } | null;
}

/** Throws `Stopped` when it was asked to stop. */
export async function sampleInto(order: SamplingOrder, deps: TrainingDeps): Promise<SampledFolders> {
  const { mark, weights, sources, update, what } = order;
  const folders = sources.map(({ name }) => relative(deps.folder, order.folderOf(name)));
  const begun = performance.now();
  const known = readMark(mark);
  if (known?.complete) return { weights: known.weights, folders: known.folders, seconds: null, gaveUp: null };
  if (known && known.weights.version !== weights.version) {
    for (const { name } of sources) rmSync(order.folderOf(name), { recursive: true, force: true });
    deps.tell({
      kind: "notice",
      sentence: `The sessions of update ${update} (${what}) that ${weightsName(known.weights)} had begun are sampled anew: these weights go by another name now.`,
    });
  }
  makeFolder(dirname(mark), "choose a writable place with --out");
  const say = (complete: boolean) => writeWhole(mark, `${JSON.stringify({ weights, complete, folders })}\n`);
  if (known?.weights.version !== weights.version) say(false);
  for (const source of sources) {
    const gaveUp = await sampleSource(source, order, deps);
    if (gaveUp) return { weights, folders, seconds: null, gaveUp };
  }
  say(true);
  return { weights, folders, seconds: known ? null : (performance.now() - begun) / 1_000, gaveUp: null };
}

function readMark(path: string): z.infer<typeof Mark> | null {
  if (!existsSync(path)) return null;
  try {
    return Mark.parse(JSON.parse(readFileSync(path, "utf8")));
  } catch {
    // of a disk that was full, or of an older version: without it nobody knows who sampled
    return null;
  }
}

async function sampleSource(
  source: PlannedSource,
  order: SamplingOrder,
  deps: TrainingDeps,
): Promise<SampledFolders["gaveUp"]> {
  const { what, update, weights, temperature, signal, maxFailedShare } = order;
  const { recipe, threads, concurrency, openSource } = deps;
  const spec = policyOf(weights, temperature, deps);
  const policy = await createPolicy(spec);
  try {
    if (policy.weights !== weights.version)
      throw new UmaError(
        "conflict",
        `${weightsName(weights)} was published as ${weights.version}, and what is there now is ${policy.weights}`,
        { fix: "somebody has changed the published weights; go on with --resume, which publishes them again" },
      );
    const variant = await loadVariant(recipe.rollout.variant);
    const prompts = loadPrompts(recipe.rollout.prompts);
    const path = order.folderOf(source.name);
    const folder = existsSync(join(path, "config.json"))
      ? openRunFolder(path)
      : newFolder(path, { source, order, deps, spec, parts: { variant, policy, prompts } });
    const result = await evaluate({
      ...{ folder, variant, policy, prompts, concurrency, openSource, signal, maxFailedShare },
      benchmark: source.benchmark,
      toolset: toolsetNamed(recipe.rollout.toolset),
      pool: threads && { threads, policy: spec, variant: recipe.rollout.variant },
      onDeath: ({ session, message, again }) =>
        deps.tell({
          kind: "notice",
          sentence: `${session}: its thread died (${message}); ${again ? "running it again" : "it counts as failed"}.`,
        }),
      stopping: deps.stopping,
      onProgress: ({ done, total, totalIsFinal, failed }) =>
        deps.tell({ kind: "sessions", what, update, done, total: totalIsFinal ? total : null, failed }),
    });
    if (result.complete) return null;
    if (result.stopped === "provider" || result.stopped === "failures")
      return { why: result.stopped, lastFailure: result.lastFailure };
    throw new Stopped();
  } finally {
    await policy.close?.();
  }
}

interface NewFolder {
  readonly source: PlannedSource;
  readonly order: SamplingOrder;
  readonly deps: TrainingDeps;
  readonly spec: ReturnType<typeof policyOf>;
  readonly parts: {
    readonly variant: { readonly name: string; readonly paper: string };
    readonly policy: { readonly name: string; readonly scripted: boolean };
    readonly prompts: { readonly name: string; readonly hash: string };
  };
}

function newFolder(path: string, { source, order, deps, spec, parts }: NewFolder): RunFolder {
  const { variant, toolset, limits, time } = deps.recipe.rollout;
  const { apiKey: _secret, ...open } = spec;
  const config: RunConfig = {
    v: 1,
    umagraph: deps.umagraph,
    name: `${deps.recipe.name}-${order.what === "prefetch" ? "collect" : order.what}-${order.update}-${source.name}`,
    created: new Date().toISOString(),
    benchmark: { name: source.benchmark.name, config: source.config },
    variant: { spec: variant, name: parts.variant.name, paper: parts.variant.paper },
    policy: { spec: open, name: parts.policy.name, scripted: parts.policy.scripted },
    toolset,
    prompts: { name: parts.prompts.name, hash: parts.prompts.hash },
    limits: SessionLimits.parse(limits),
    rollout: { G: order.G, M: source.source.M === undefined ? order.M : source.source.M },
    time: { ...noTimeLimits, ...time },
    seed: order.seed,
    concurrency: deps.concurrency,
  };
  return createRunFolder(path, config);
}
