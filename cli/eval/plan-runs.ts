/** What `umagraph eval` is going to run: from flags and a batch file, or from run folders that were begun before. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { closest } from "../../base/closest.ts";
import { UmaError } from "../../base/errors.ts";
import { BatchFile, cellsOf, readBatchFile } from "../../evals/batch.ts";
import { benchmarkNames, loadBenchmark } from "../../evals/benchmarks/index.ts";
import {
  createRunFolder,
  openRunFolder,
  type RunConfig,
  type RunFolder,
  refuseTakenFolder,
} from "../../evals/run-folder.ts";
import { loadVariant } from "../../graphs/variants/load-variant.ts";
import { createPolicy, onlyKnownOptions } from "../../policies/index.ts";
import type { PolicySpec } from "../../policies/policy.ts";
import { drawQuestions } from "../../rollouts/draw-questions.ts";
import { benchmarkConfig, hasOption } from "../benchmark-flags.ts";
import { kebab } from "../flags.ts";
import { defaultPolicy, policyOptionsOf, policySpecs } from "../policy-flags.ts";
import { runFoldersIn } from "../run-folders.ts";
import type { SessionFlags } from "../session-flags.ts";
import { sessionSettings } from "../session-settings.ts";
import { type EvalFlags, modelFlags, resumeFlags } from "./eval-flags.ts";
import { runConfig } from "./run-config.ts";

export interface PlannedRun {
  readonly folder: RunFolder;
  /** With what the folder's config may not hold: keys, another address. */
  readonly spec: PolicySpec;
}

export interface PlannedBatch {
  readonly runs: readonly PlannedRun[];
  /** What to give to --resume, and where the report goes. */
  readonly place: string;
}

interface Given {
  readonly flags: EvalFlags;
  /** The benchmark's flags. */
  readonly more: Readonly<Record<string, unknown>>;
  readonly positionals: readonly string[];
  readonly typed: ReadonlySet<string>;
}

export const isBatchFile = (target: string) => /\.(?:ya?ml|json)$/i.test(target);

export function planResume({ flags, positionals, typed, more }: Given): PlannedBatch {
  const fixed = [...typed].filter((key) => !resumeFlags.has(key) || key in more).map((key) => `--${kebab(key)}`);
  const [first] = [...positionals, ...fixed];
  if (first !== undefined) {
    throw new UmaError("config", `a resumed run goes on with what it was begun with; leave out ${first}`, {
      fix: `to change something, start a new run; beside --resume: ${[...resumeFlags].map((key) => `--${kebab(key)}`).join(" ")}`,
    });
  }
  const place = flags.resume!;
  const folders = runFoldersIn(place).map(openRunFolder);
  const specs = folders.map(({ config }) => onlyKnownOptions(config.policy.spec as PolicySpec));
  const { baseUrl, timeout, retries } = flags;
  const again = policySpecs(
    specs.map(({ policy }) => policy),
    { baseUrl, timeout, retries },
    typed,
  );
  const runs = folders.map((folder, i) => ({ folder, spec: { ...specs[i]!, ...again[i]! } }));
  if (flags.recordTranscript !== undefined) refuseMixedTranscript(folders.map(({ config }) => config.policy.name));
  return { runs, place };
}

/** Everything is checked before anything is written or sent. */
export async function planNew(
  { flags, more, positionals, typed }: Given,
  rollout: RunConfig["rollout"] = { G: 1, M: null },
): Promise<PlannedBatch> {
  if (flags.retryFailed)
    throw new UmaError("config", "--retry-failed goes with --resume <run folder>: a new run has nothing to try again");
  const [target, extra] = positionals;
  const choices = `umagraph eval ${benchmarkNames().join(" | ")} | batch.yaml`;
  if (target === undefined) throw new UmaError("config", "no benchmark given", { fix: choices });
  if (extra !== undefined)
    throw new UmaError("config", `expected one benchmark or batch file, got "${target}" and "${extra}"`, {
      fix: choices,
    });
  const batch = isBatchFile(target) ? readBatchFile(target) : BatchFile.parse({ benchmark: target });
  /** A flag that was typed wins over the file, and the file over defaults and the environment. */
  const chosen = <Value>(key: string, value: Value, other: Value | undefined) =>
    isBatchFile(target) && !typed.has(key) ? (other ?? value) : value;

  const benchmark = await knownBenchmark(batch.benchmark);
  const sessions: SessionFlags = {
    toolset: chosen("toolset", flags.toolset as string, batch.toolset),
    prompts: chosen("prompts", flags.prompts, batch.prompts),
    budget: chosen("budget", flags.budget, batch.budget),
    maxTurns: chosen("maxTurns", flags.maxTurns, batch.maxTurns),
    maxCalls: chosen("maxCalls", flags.maxCalls, batch.maxCalls),
  };
  const inFile = Object.keys(sessions).filter((key) => batch[key as keyof SessionFlags] !== undefined);
  const chosenHere = new Set([...typed, ...inFile]);
  const out =
    flags.out ?? freeFolder(join("runs", `${new Date().toISOString().slice(0, 10)}-${batch.name ?? batch.benchmark}`));
  const cells = cellsOf(
    out,
    {
      variants: chosen("variant", flags.variant, batch.variants),
      policies: specsOf(flags, typed.has("policy") ? undefined : batch.policies, typed),
      seeds: chosen("seed", flags.seed, batch.seeds),
    },
    (policy) => [policy.policy, policy.model].filter(Boolean).join("-"),
  );
  const configs = await Promise.all(
    cells.map(async ({ variant, policy, seed, folder }) => {
      refuseTakenFolder(folder);
      const session = await sessionSettings(policy, sessions, chosenHere);
      const given = { ...batch.config, ...more, ...(hasOption(benchmark, "seed") && { seed }) };
      return runConfig({
        name: `${batch.name ?? benchmark.name}-${variant}-s${seed}`,
        benchmark,
        options: benchmarkConfig(benchmark, given),
        variant: { spec: variant, made: await loadVariant(variant) },
        policy: { spec: policy, made: await createPolicy(policy) },
        ...session,
        toolset: session.toolset.name,
        rollout,
        time: { turn: milliseconds(flags.turnTimeout), session: milliseconds(flags.sessionTimeout) },
        seed,
        concurrency: chosen("concurrency", flags.concurrency, batch.concurrency),
      });
    }),
  );
  if (flags.recordTranscript !== undefined) refuseMixedTranscript(configs.map(({ policy }) => policy.name));
  // a missing data file is found before there is a folder that would have to be explained
  for (const { benchmark: own, seed } of configs.slice(0, rollout.M === null ? 1 : undefined)) {
    for await (const context of benchmark.load(benchmark.config.parse(own.config))) {
      if (rollout.M === null) break;
      // too many questions asked for: better said now than after the contexts that have enough
      drawQuestions(context, rollout.M, seed);
    }
  }
  const runs = cells.map(({ folder, policy }, i) => ({ folder: createRunFolder(folder, configs[i]!), spec: policy }));
  return { runs, place: out };
}

const milliseconds = (seconds: number | undefined) => (seconds === undefined ? null : seconds * 1_000);

export async function knownBenchmark(name: string) {
  if (benchmarkNames().includes(name)) return loadBenchmark(name);
  const meant = closest(name, benchmarkNames());
  throw new UmaError("config", `there is no benchmark named "${name}"`, {
    fix: meant ? `did you mean ${meant}?` : `benchmarks: ${benchmarkNames().join(", ")}; or give a batch file (.yaml)`,
  });
}

/** Each policy of the file with its own options; flags such as --base-url hold for all of them that know them. */
function specsOf(flags: EvalFlags, fromFile: BatchFile["policies"], typed: ReadonlySet<string>): PolicySpec[] {
  const shared = Object.fromEntries(
    Object.keys(modelFlags).map((key) => [key, flags[key as keyof EvalFlags]]),
  ) as Parameters<typeof policySpecs>[1];
  const named = (fromFile ?? flags.policy ?? [defaultPolicy(shared)]).map((own) =>
    typeof own === "object" ? own : { policy: own },
  );
  const specs = policySpecs(
    named.map(({ policy }) => policy),
    shared,
    typed,
  );
  return named.map((own, i) => ({ ...specs[i]!, ...policyOptionsOf(own) }));
}

function refuseMixedTranscript(policies: readonly string[]): void {
  const names = [...new Set(policies)];
  if (names.length > 1)
    throw new UmaError("config", `a transcript holds the turns of one policy, got ${names.join(", ")}`, {
      fix: "give --record-transcript to a run of one policy",
    });
}

/** runs/x, then runs/x-2, runs/x-3 …: a new run never lands in an old folder. */
export function freeFolder(base: string): string {
  for (let n = 1; ; n++) {
    const folder = n === 1 ? base : `${base}-${n}`;
    if (!existsSync(folder)) return folder;
  }
}
