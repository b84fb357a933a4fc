/**
 * Whether a recipe's contexts can be had: benchmarks that exist, options that they know, files that are there, and as many
 * questions as are to be asked.
 */
import { closest } from "../../base/closest.ts";
import { messageOf, UmaError } from "../../base/errors.ts";
import { seedOf } from "../../base/rng.ts";
import type { Benchmark, EvalContext } from "../../evals/benchmark.ts";
import { benchmarkNames, loadBenchmark } from "../../evals/benchmarks/index.ts";
import { corpora } from "./corpora.ts";
import { fieldProblems } from "./field-problems.ts";
import type { DataSource } from "./recipe.ts";

export interface KnownSource {
  /** Where it stands in the recipe, e.g. "data.0". */
  readonly field: string;
  readonly source: DataSource;
  readonly benchmark: Benchmark;
  /** As the benchmark reads it. */
  readonly config: Readonly<Record<string, unknown>>;
}

/** Contexts of a source that are looked at; the others are of the same making. */
const looked = 12;

/** Throws `config` with a sentence for each benchmark that there is not, and for wrong options. */
export async function knownSources(field: string, sources: readonly DataSource[]): Promise<KnownSource[]> {
  const known = benchmarkNames();
  const missing = [...new Set(sources.map(({ benchmark }) => benchmark))].filter((name) => !known.includes(name));
  if (missing.length > 0) throw missingBenchmarks(field, missing);
  return Promise.all(
    sources.map(async (source, at) => {
      const benchmark = await loadBenchmark(source.benchmark);
      return { field: `${field}.${at}`, source, benchmark, config: configOf(source, benchmark, `${field}.${at}`) };
    }),
  );
}

function missingBenchmarks(field: string, missing: readonly string[]): UmaError {
  const ofPaper = corpora.filter(({ benchmark }) => missing.includes(benchmark));
  if (ofPaper.length === 0) {
    const [name = ""] = missing;
    const meant = closest(name, benchmarkNames());
    return new UmaError("config", `${field}: there is no benchmark named "${name}"`, {
      fix: `${meant ? `did you mean ${meant}? ` : ""}benchmarks: ${benchmarkNames().join(", ")}`,
    });
  }
  const lines = ofPaper.map(
    ({ title, samples, from }) => `\n  ${title}, ${samples.toLocaleString("en")} samples: ${from}`,
  );
  return new UmaError(
    "config",
    `${field}: ${ofPaper.length} corpora of the paper's mixture (Table 9) have no reader in this version:${lines.join("")}`,
    {
      fix: "nothing is downloaded here; train on what there is by giving `data` in a recipe file that extends this one, e.g. Ledger-QA",
    },
  );
}

function configOf(source: DataSource, benchmark: Benchmark, field: string): Record<string, unknown> {
  const parsed = benchmark.config.safeParse(source.config);
  if (!parsed.success)
    throw new UmaError("config", fieldProblems(parsed.error, benchmark.config, source.config, [field, "config"]), {
      fix: `options of ${benchmark.name}: umagraph eval ${benchmark.name} --help`,
    });
  const { outcome } = source;
  const metrics = [...benchmark.metrics.map(({ name }) => name), "uma-code"];
  if (outcome !== undefined && !metrics.includes(outcome)) {
    const meant = closest(outcome, metrics);
    throw new UmaError("config", `${field}.outcome: ${benchmark.name} has no metric "${outcome}"`, {
      fix: `${meant ? `did you mean ${meant}? ` : ""}metrics: ${metrics.join(", ")}`,
    });
  }
  return parsed.data as Record<string, unknown>;
}

/** What is trained on is not measured on. Throws `config`. */
export function refuseSharedData(training: readonly KnownSource[], heldOut: readonly KnownSource[]): void {
  for (const trained of training)
    for (const held of heldOut) {
      if (trained.benchmark.name !== held.benchmark.name || !mayShare(trained, held)) continue;
      throw new UmaError("config", `${held.field} would be measured on what ${trained.field} trains on`, {
        fix: "hold out another split, seed or file",
      });
    }
}

function mayShare(trained: KnownSource, held: KnownSource): boolean {
  const place = ({ config }: KnownSource) => config.file ?? config.data ?? null;
  if (place(trained) !== null || place(held) !== null) return place(trained) === place(held);
  if (trained.config.split !== held.config.split) return false;
  return trained.source.generated || trained.config.seed === held.config.seed;
}

export interface CheckedSource extends KnownSource {
  /** Some of its contexts. */
  readonly contexts: readonly EvalContext[];
}

/** Throws as `knownSources` and `checkSources` do. */
export const checkedSources = async (field: string, sources: readonly DataSource[], M: number | null) =>
  checkSources(await knownSources(field, sources), M);

/** Loads a few contexts of each. Throws `config` when there are too few of them, or of their questions; `input` for files. */
export async function checkSources(sources: readonly KnownSource[], M: number | null): Promise<CheckedSource[]> {
  const checked: CheckedSource[] = [];
  for (const known of sources) {
    const { field, source, benchmark } = known;
    const contexts: EvalContext[] = [];
    try {
      for await (const context of benchmark.load(drawn(known))) {
        contexts.push(context);
        if (contexts.length >= Math.max(looked, source.generated ? 0 : source.contexts)) break;
      }
    } catch (cause) {
      const fix = cause instanceof UmaError ? cause.fix : undefined;
      throw new UmaError(cause instanceof UmaError ? cause.code : "input", `${field}: ${messageOf(cause)}`, {
        ...(fix !== undefined && { fix }),
        cause,
      });
    }
    refuseTooFew(contexts, known, source.M === undefined ? M : source.M);
    checked.push({ ...known, contexts });
  }
  return checked;
}

function refuseTooFew(contexts: readonly EvalContext[], { field, source }: KnownSource, M: number | null): void {
  if (contexts.length === 0 || (!source.generated && contexts.length < source.contexts))
    throw new UmaError(
      "config",
      `${field}: ${source.contexts} contexts are wanted, ${source.benchmark} has ${contexts.length}`,
      {
        fix: `set contexts to at most ${Math.max(1, contexts.length)}`,
      },
    );
  const short = contexts.find(({ questions }) => questions.length < (M ?? 1));
  if (short)
    throw new UmaError(
      "config",
      `${field}: M = ${M ?? "all"} questions per context, but ${short.id} has ${short.questions.length}`,
      {
        fix:
          short.questions.length === 0
            ? "leave contexts without questions out"
            : `choose M up to ${short.questions.length}`,
      },
    );
}

/** As many contexts as are needed, of a generator by a seed that a run might use. */
function drawn({ source, config }: KnownSource): Record<string, unknown> {
  const wanted = { ...config };
  if (source.generated && "seed" in config) wanted.seed = seedOf("recipe-check", source.benchmark);
  if ("contexts" in config && config.contexts === null && !("file" in config && config.file !== null))
    // a generator of several horizons makes so many contexts of each
    wanted.contexts = Math.ceil(Math.max(looked, source.contexts) / [config.horizon].flat().length);
  return wanted;
}
