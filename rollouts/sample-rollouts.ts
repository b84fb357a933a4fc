/**
 * G trajectories × M questions as a stream of session records: nested sampling for programs that keep their own books.
 *
 * `evaluate` writes the same records into a run folder and resumes them; both stand on run-rollouts.ts.
 */
import { UmaError } from "../base/errors.ts";
import { loadVariant } from "../graphs/variants/load-variant.ts";
import type { Variant } from "../graphs/variants/variant.ts";
import { loadPrompts, type Prompts } from "../nodes/prompts/prompts.ts";
import { SessionLimits } from "../nodes/session/limits.ts";
import type { SessionRecord } from "../nodes/session/record.ts";
import { createPolicy } from "../policies/index.ts";
import type { Policy, PolicySpec } from "../policies/policy.ts";
import { createSource, type Source } from "../retrieval/source.ts";
import { type Toolset, toolsets } from "../tools/toolsets.ts";
import { createHalt } from "./halt.ts";
import { openEngine } from "./open-engine.ts";
import type { ThreadDeath } from "./pool/pool-engine.ts";
import type { RolloutContext } from "./rollout-context.ts";
import { runRollouts } from "./run-rollouts.ts";
import { noTimeLimits, type TimeLimits } from "./time-limits.ts";

export interface SampleRolloutsOptions {
  /** Memory trajectories per context. */
  readonly G: number;
  /** Questions per context, drawn once and asked of every trajectory; null (default) for all of them. */
  readonly M?: number | null;
  /** A spec where there is a pool: its threads build their own. */
  readonly policy: Policy | PolicySpec;
  /** As load-variant takes it (default "uma"), or made. */
  readonly variant?: string | Variant;
  readonly toolset?: Toolset;
  readonly prompts?: Prompts;
  readonly limits?: Partial<SessionLimits>;
  /** Every session's own seed is derived from it and the session's place. */
  readonly seed: number;
  /** What the records call the run. */
  readonly run?: string;
  /** Sessions in flight over all contexts (default 8). */
  readonly concurrency?: number;
  /** Threads; 0 (default) runs on this one. */
  readonly pool?: number;
  readonly time?: Partial<TimeLimits>;
  readonly openSource?: (chunks: readonly string[]) => Source;
  /** Sessions that are done: they are replayed and not given again. */
  readonly finished?: (id: string) => SessionRecord | undefined;
  readonly signal?: AbortSignal;
  readonly onDeath?: (death: ThreadDeath) => void;
}

/** Records that nobody has taken yet: more of them hold new sessions up. */
const WAITING = 256;

/**
 * Yields each session as it ends. Leaving the loop early, or aborting, ends the running sessions cleanly. Throws `config` for
 * what does not fit together; a session that fails is a record with an error.
 */
export async function* sampleRollouts(
  contexts: AsyncIterable<RolloutContext> | Iterable<RolloutContext>,
  options: SampleRolloutsOptions,
): AsyncGenerator<SessionRecord, void> {
  const { G, M = null, seed, run = "rollout", concurrency = 8, pool = 0 } = options;
  for (const [name, value] of Object.entries({ G, concurrency, ...(M !== null && { M }) }))
    if (!Number.isInteger(value) || value < 1)
      throw new UmaError("config", `expected ${name} to be a whole number of at least 1, got ${value}`);
  const made = typeof options.variant === "object" ? options.variant : await loadVariant(options.variant ?? "uma");
  const policy = "sample" in options.policy ? (options.policy as Policy) : await createPolicy(options.policy);
  if (pool > 0 && ("sample" in options.policy || typeof options.variant === "object")) {
    throw new UmaError(
      "config",
      "a pool's threads build policy and variant themselves, and cannot be given live ones",
      {
        fix: "give the policy as a spec and the variant by name, or leave the pool out",
      },
    );
  }
  if (pool > 0 && options.openSource) {
    throw new UmaError("config", "a pool's threads index the contexts themselves, and cannot be given openSource", {
      fix: "leave openSource out, or the pool",
    });
  }
  const closed = new AbortController();
  const halt = createHalt({
    signal: options.signal ? AbortSignal.any([options.signal, closed.signal]) : closed.signal,
  });
  const engine = openEngine({
    ...{ variant: made, policy, seed, run, concurrency, halt },
    pool: { threads: pool, policy: options.policy as PolicySpec, variant: (options.variant as string) ?? "uma" },
    toolset: options.toolset ?? toolsets.paper,
    prompts: options.prompts ?? loadPrompts(),
    limits: SessionLimits.parse(options.limits ?? {}),
    time: { ...noTimeLimits, ...options.time },
    openSource: options.openSource ?? ((chunks) => createSource(chunks)),
    ...(options.onDeath && { onDeath: options.onDeath }),
  });

  const seen = new Set<string>();
  const waiting: SessionRecord[] = [];
  let arrived = () => {};
  /** Those who wait until somebody has taken a record. */
  let held: (() => void)[] = [];
  const letGo = () => {
    const going = held;
    held = [];
    for (const go of going) go();
  };
  const source = Symbol.asyncIterator in contexts ? contexts[Symbol.asyncIterator]() : contexts[Symbol.iterator]();
  const done = runRollouts({
    ...{ engine, G, M, seed, concurrency, halt, keepsMemory: made.keepsMemory },
    async next() {
      if (halt.stopping()) return null;
      const next = await source.next();
      if (next.done) return null;
      const { id } = next.value;
      if (seen.has(id))
        throw new UmaError("input", `two contexts are named "${id}"`, { fix: "give each context an id of its own" });
      seen.add(id);
      return next.value;
    },
    finished: options.finished ?? (() => undefined),
    async record(record) {
      waiting.push(record);
      arrived();
      while (waiting.length > WAITING && !halt.signal.aborted)
        await new Promise<void>((resolve) => {
          held.push(resolve);
        });
    },
  });
  let over = false;
  void done.then(() => {
    over = true;
    arrived();
  });
  try {
    for (;;) {
      const record = waiting.shift();
      if (record) {
        letGo();
        yield record;
      } else if (over) break;
      else
        await new Promise<void>((resolve) => {
          arrived = resolve;
        });
    }
    halt.rethrow();
  } finally {
    closed.abort();
    letGo();
    await done;
    await engine.close();
    await source.return?.();
  }
}
