/** The engine that a run asks for: threads when it has a pool, this thread when not. */
import { UmaError } from "../base/errors.ts";
import type { Variant } from "../graphs/variants/variant.ts";
import type { Prompts } from "../nodes/prompts/prompts.ts";
import type { SessionLimits } from "../nodes/session/limits.ts";
import type { Policy, PolicySpec } from "../policies/policy.ts";
import type { Source } from "../retrieval/source.ts";
import type { Toolset } from "../tools/toolsets.ts";
import type { Halt } from "./halt.ts";
import { mainThreadEngine } from "./main-thread-engine.ts";
import { poolEngine, type ThreadDeath } from "./pool/pool-engine.ts";
import type { SamplingThreads } from "./pool/sampling-threads.ts";
import type { SessionEngine } from "./session-engine.ts";
import type { TimeLimits } from "./time-limits.ts";

/** Threads share nothing live: each builds its own from these. */
export interface EnginePool {
  /** How many to start, or those of a pool that is open; 0 for this thread. */
  readonly threads: number | SamplingThreads;
  readonly policy: PolicySpec;
  /** As load-variant takes it. */
  readonly variant: string;
}

export interface EngineOptions {
  readonly pool?: EnginePool | null;
  readonly variant: Variant;
  readonly policy: Policy;
  readonly toolset: Toolset;
  readonly prompts: Prompts;
  readonly openSource: (chunks: readonly string[]) => Source;
  readonly limits: SessionLimits;
  readonly run: string;
  readonly seed: number;
  readonly time: TimeLimits;
  readonly concurrency: number;
  readonly halt: Halt;
  readonly onDeath?: (death: ThreadDeath) => void;
}

/** Throws `config` for a pool of no threads. */
export function openEngine(options: EngineOptions): SessionEngine<unknown> {
  const { pool, variant, policy, prompts, halt, concurrency, onDeath } = options;
  const { limits, run, seed, time } = options;
  if (!pool || pool.threads === 0) return mainThreadEngine({ ...options, signal: halt.signal });
  const { threads } = pool;
  if (typeof threads === "number" && (!Number.isInteger(threads) || threads < 0))
    throw new UmaError("config", `expected a pool of 0 or more threads, got ${threads}`);
  return poolEngine({
    ...{ variant, concurrency, halt, ...(onDeath && { onDeath }) },
    threads: typeof threads === "number" ? Math.min(threads, concurrency) : threads,
    policy: { name: policy.name, scripted: policy.scripted, weights: policy.weights },
    prompt: prompts.hash,
    spec: {
      ...{ policy: pool.policy, variant: pool.variant, toolset: options.toolset.name, prompts: prompts.name },
      ...{ limits, run, seed, time },
    },
  }) as SessionEngine<unknown>;
}
