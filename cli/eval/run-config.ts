/** The resolved config of a run: all names checked, all defaults filled in, no secrets. */

import { packageVersion } from "../../base/package-version.ts";
import type { Benchmark } from "../../evals/benchmark.ts";
import type { RunConfig } from "../../evals/run-folder.ts";
import type { Variant } from "../../graphs/variants/variant.ts";
import type { Prompts } from "../../nodes/prompts/prompts.ts";
import type { Policy, PolicySpec } from "../../policies/policy.ts";
import { noTimeLimits } from "../../rollouts/time-limits.ts";

export interface RunParts {
  readonly name: string;
  readonly benchmark: Benchmark;
  /** The benchmark's own options, parsed. */
  readonly options: Record<string, unknown>;
  readonly variant: { readonly spec: string; readonly made: Variant };
  readonly policy: { readonly spec: PolicySpec; readonly made: Policy };
  readonly toolset: string;
  readonly prompts: Prompts;
  readonly limits: RunConfig["limits"];
  /** One trajectory and all questions by default. */
  readonly rollout?: RunConfig["rollout"];
  readonly time?: RunConfig["time"];
  readonly seed: number;
  readonly concurrency: number;
}

export function runConfig(parts: RunParts): RunConfig {
  const { benchmark, variant, policy, prompts } = parts;
  const { apiKey: _secret, ...spec } = policy.spec;
  return {
    v: 1,
    umagraph: packageVersion(),
    name: parts.name,
    created: new Date().toISOString(),
    benchmark: { name: benchmark.name, config: parts.options },
    variant: { spec: variant.spec, name: variant.made.name, paper: variant.made.paper },
    policy: { spec, name: policy.made.name, scripted: policy.made.scripted },
    toolset: parts.toolset,
    prompts: { name: prompts.name, hash: prompts.hash },
    limits: parts.limits,
    rollout: parts.rollout ?? { G: 1, M: null },
    time: parts.time ?? noTimeLimits,
    seed: parts.seed,
    concurrency: parts.concurrency,
  };
}
