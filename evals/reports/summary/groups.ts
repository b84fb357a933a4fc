/**
 * Runs that differ by seed, or by which facet values they cover (horizons), and in nothing else: one row of a table.
 *
 * Same benchmark with the same options, variant, policy, toolset, prompts and limits. Questions are pooled; a context
 * that several seeds share stays one cluster.
 */
import { canonicalJson } from "../../../base/hash.ts";
import { absent } from "../format-number.ts";
import type { RunSummary } from "./run-summary.ts";

export interface RunGroup {
  /** Told apart within the report: "uma · ledger-expert (no model)". */
  readonly label: string;
  /** Indices into the report's runs, by seed. */
  readonly runs: readonly number[];
}

export function groupRuns(runs: readonly RunSummary[]): RunGroup[] {
  const groups = new Map<string, number[]>();
  runs.forEach((run, index) => {
    const key = canonicalJson(identityOf(run));
    const held = groups.get(key);
    if (held) held.push(index);
    else groups.set(key, [index]);
  });
  const indices = [...groups.values()].map((members) => members.sort((a, b) => runs[a]!.seed - runs[b]!.seed || a - b));
  const labels = distinctLabels(indices.map(([first]) => runs[first!]!));
  return indices.map((members, i) => ({ label: labels[i]!, runs: members }));
}

function identityOf(run: RunSummary) {
  const { variant, policy, toolset, prompts, limits, rollout, benchmark } = run;
  return {
    benchmark: benchmark.name,
    options: comparableOptions(run),
    variant: variant.spec,
    policy: [policy.name, policy.spec, policy.weights],
    toolset,
    prompts: prompts.hash,
    limits,
    rollout,
  };
}

/** The benchmark's options but the seed and those that are facets: what is left says which task was asked. */
function comparableOptions({ benchmark, facets }: RunSummary): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(benchmark.config).filter(([name]) => name !== "seed" && !Object.hasOwn(facets, name)),
  );
}

/** Variant and policy, and where two rows of one benchmark would read alike, what tells them apart. */
function distinctLabels(runs: readonly RunSummary[]): string[] {
  const short = (run: RunSummary) =>
    `${run.variant.name} · ${run.policy.name}${run.policy.scripted ? " (no model)" : ""}`;
  const key = (run: RunSummary) => JSON.stringify([run.benchmark.name, short(run)]);
  return runs.map((run) => {
    const alike = runs.filter((other) => key(other) === key(run)).map(detailsOf);
    const names = new Set(alike.flatMap((details) => [...details.keys()]));
    const telling = [...names].filter((name) => new Set(alike.map((details) => details.get(name))).size > 1);
    const details = detailsOf(run);
    return [short(run), ...telling.map((name) => `${name} ${details.get(name) ?? absent}`)].join(" · ");
  });
}

function detailsOf(run: RunSummary): Map<string, string> {
  const { limits, policy, rollout } = run;
  return new Map([
    ["variant", run.variant.spec],
    ["policy", canonicalJson(policy.spec)],
    ["weights", policy.weights.join(", ") || absent],
    ["tools", run.toolset],
    ["prompts", `${run.prompts.name} ${run.prompts.hash.slice(0, 6)}`],
    ["budget", `${limits.promptTokens}+${limits.interactionTokens}`],
    ["G", `${rollout.G} trajectories, ${rollout.M ?? "all"} questions`],
    ["limits", `${limits.maxTurns} turns, ${limits.maxCalls} calls, ${limits.maxObservation} per observation`],
    ...Object.entries(comparableOptions(run)).map(([name, value]): [string, string] => [
      `${run.benchmark.name}'s ${name}`,
      typeof value === "string" ? value : JSON.stringify(value),
    ]),
  ]);
}
