/** umagraph eval: benchmark × variants × policies × seeds → run folders, resumable, with a table at the end. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse as parseYaml } from "yaml";
import { z } from "zod";
import { exitCodes, messageOf, UmaError } from "../../base/errors.ts";
import { BatchFile, type Cell, cellsOf } from "../../evals/batch.ts";
import type { Benchmark } from "../../evals/benchmark.ts";
import { benchmarkNames, loadBenchmark } from "../../evals/benchmarks/index.ts";
import { evaluate } from "../../evals/evaluate.ts";
import { summarise } from "../../evals/reports/summary.ts";
import { renderTerminal } from "../../evals/reports/terminal.ts";
import { writeReport } from "../../evals/reports/write-report.ts";
import { createRunFolder, openRunFolder, type RunConfig, type RunFolder } from "../../evals/run-folder.ts";
import { loadVariant } from "../../graphs/variants/load-variant.ts";
import { loadPrompts } from "../../nodes/prompts/prompts.ts";
import type { PolicySpec } from "../../policies/policy.ts";
import { createEmbeddingCache } from "../../retrieval/embedding-cache.ts";
import { createSource } from "../../retrieval/source.ts";
import { benchmarkConfig, benchmarkFlags, hasOption } from "../benchmark-flags.ts";
import { defineCommand } from "../command.ts";
import { nameList, numberList } from "../flags.ts";
import { type Interrupt, onInterrupt } from "../interrupt.ts";
import { packageVersion } from "../package-version.ts";
import { policyFlags, policyFrom, policySpec } from "../policy-flags.ts";
import { limitsFrom, sessionFlags, toolsetNamed } from "../session-flags.ts";
import type { Terminal } from "../terminal.ts";

const { policy: _, ...modelFlags } = policyFlags;

const flags = z.object({
  variant: nameList.default(["uma"]).describe("Variants, e.g. uma,rag,concat; options after colons: rag:topK=5"),
  policy: nameList.optional().describe("openai, extractive, ledger-expert, …; several separated by commas"),
  ...modelFlags,
  ...sessionFlags,
  seed: numberList.default([0]).describe("Seed of data and sampling; several, e.g. 7,8,9, make a run each"),
  concurrency: z.coerce.number().int().min(1).default(8).describe("Sessions in flight; results do not depend on it"),
  out: z.string().optional().describe("Run folder (default runs/<date>-<benchmark>)"),
  resume: z.string().optional().describe("Go on with this run folder: finished sessions are kept"),
  html: z.boolean().default(true).describe("Write report.html into the run folder"),
});
type Given = z.infer<typeof flags>;

export const command = defineCommand({
  name: "eval",
  summary: "run a benchmark: variants × policies → run folders",
  usage: "<benchmark | batch.yaml> [flags]",
  details: [
    `Benchmarks: ${benchmarkNames().join(", ")}. A benchmark's own options are flags too: umagraph eval ledger-qa --help.`,
    "A batch file names several variants, policies and seeds; flags given beside it win.",
    "Ctrl-C lets the running sessions finish; --resume <folder> goes on. An existing folder is never overwritten.",
  ].join("\n"),
  flags,
  async moreFlags(positionals) {
    const name =
      positionals[0] === undefined
        ? undefined
        : isFile(positionals[0])
          ? readBatch(positionals[0]).benchmark
          : positionals[0];
    return name !== undefined && benchmarkNames().includes(name) ? benchmarkFlags(await loadBenchmark(name)) : null;
  },
  examples: [
    { run: "umagraph eval ledger-qa --horizon 2,10,50 --policy ledger-expert", what: "offline, without a model" },
    {
      run: "umagraph eval locomo --data locomo10.json --variant uma,rag,concat --policy openai --model gpt-4o-mini",
      what: "three variants on your copy of LoCoMo",
    },
    { run: "umagraph eval batch.yaml --seed 1,2,3", what: "a batch file, with other seeds" },
    { run: "umagraph eval --resume runs/2026-11-30-ledger-qa", what: "go on after a stop" },
  ],
  async run({ flags, more, positionals, terminal }) {
    const interrupt = onInterrupt(terminal.note);
    try {
      const runs = flags.resume
        ? await resumed(flags.resume, terminal)
        : await planned(flags, more, positionals, terminal);
      const folders: string[] = [];
      let complete = true;
      for (const run of runs) {
        if (interrupt.stopping()) {
          complete = false;
          break;
        }
        folders.push(run.folder.path);
        const label =
          runs.length > 1
            ? `${run.folder.config.variant.name} × ${run.folder.config.policy.name} × seed ${run.folder.config.seed}: `
            : "";
        complete = (await runCell(run, flags, label, interrupt, terminal)) && complete;
      }
      return finish(folders, complete, flags, terminal);
    } finally {
      interrupt.release();
    }
  },
});

interface PlannedRun {
  readonly folder: RunFolder;
  readonly spec: PolicySpec;
}

async function planned(
  given: Given,
  more: Readonly<Record<string, unknown>>,
  positionals: readonly string[],
  terminal: Terminal,
): Promise<PlannedRun[]> {
  const [target] = positionals;
  if (target === undefined) {
    throw new UmaError("config", "no benchmark given", {
      fix: `umagraph eval ${benchmarkNames().join(" | ")} | batch.yaml`,
    });
  }
  const batch = isFile(target) ? readBatch(target) : BatchFile.parse({ benchmark: target });
  const benchmark = await loadBenchmark(batch.benchmark);
  const fromFile = isFile(target);
  const chosen = <Value>(flag: string, value: Value, other: Value | undefined) =>
    fromFile && !wasGiven(flag) ? (other ?? value) : value;

  const variants = chosen("variant", given.variant, batch.variants);
  const seeds = chosen("seed", given.seed, batch.seeds);
  const names: (string | (Record<string, unknown> & { policy: string }) | undefined)[] = chosen(
    "policy",
    given.policy,
    batch.policies as never,
  ) ?? [undefined];
  const policies = names.map((name) => {
    const { policy: _names, ...rest } = given;
    const own = typeof name === "object" ? name : name === undefined ? {} : { policy: name };
    return {
      ...policySpec({ ...pickPolicy(rest), ...(typeof own.policy === "string" && { policy: own.policy }) }),
      ...own,
    } as PolicySpec;
  });
  const toolset = toolsetNamed(chosen("toolset", given.toolset as string, batch.toolset));
  const prompts = loadPrompts(chosen("prompts", given.prompts, batch.prompts));
  const limits = limitsFrom({ ...given, budget: chosen("budget", given.budget, batch.budget) });
  const concurrency = chosen("concurrency", given.concurrency, batch.concurrency);

  const out =
    given.out ?? freeFolder(join("runs", `${new Date().toISOString().slice(0, 10)}-${batch.name ?? batch.benchmark}`));
  const cells = cellsOf(out, { variants, policies, seeds }, (policy) =>
    [policy.policy, policy.model].filter(Boolean).join("-"),
  );
  // everything is checked before anything is written or sent
  const configs = await Promise.all(
    cells.map((cell) =>
      runConfig(
        cell,
        benchmark,
        { ...batch.config, ...more },
        { toolset: toolset.name, prompts, limits, concurrency },
        terminal,
      ),
    ),
  );
  return cells.map((cell, i) => ({ folder: createRunFolder(cell.folder, configs[i]!), spec: cell.policy }));
}

async function runConfig(
  cell: Cell<PolicySpec>,
  benchmark: Benchmark,
  options: Readonly<Record<string, unknown>>,
  session: {
    toolset: string;
    prompts: { name: string; hash: string };
    limits: RunConfig["limits"];
    concurrency: number;
  },
  terminal: Terminal,
): Promise<RunConfig> {
  const config = benchmarkConfig(benchmark, { ...options, ...(hasOption(benchmark, "seed") && { seed: cell.seed }) });
  const variant = await loadVariant(cell.variant);
  const policy = await policyFrom(cell.policy, { ...terminal, note: () => {} });
  const { apiKey: _secret, ...spec } = cell.policy;
  return {
    v: 1,
    umagraph: packageVersion(),
    name: `${benchmark.name}-${cell.variant}-s${cell.seed}`,
    created: new Date().toISOString(),
    benchmark: { name: benchmark.name, config },
    variant: { spec: cell.variant, name: variant.name, paper: variant.paper },
    policy: { spec, name: policy.name, scripted: policy.scripted },
    toolset: session.toolset,
    prompts: { name: session.prompts.name, hash: session.prompts.hash },
    limits: session.limits,
    seed: cell.seed,
    concurrency: session.concurrency,
  };
}

async function resumed(path: string, terminal: Terminal): Promise<PlannedRun[]> {
  const { runFoldersIn } = await import("../run-folders.ts");
  const folders = runFoldersIn(path).map(openRunFolder);
  terminal.note(`resuming ${folders.length === 1 ? folders[0]!.path : `${folders.length} runs in ${path}`}`);
  return folders.map((folder) => ({ folder, spec: folder.config.policy.spec as PolicySpec }));
}

async function runCell(
  { folder, spec }: PlannedRun,
  given: Given,
  label: string,
  interrupt: Interrupt,
  terminal: Terminal,
): Promise<boolean> {
  const { config } = folder;
  const prompts = loadPrompts(config.prompts.name);
  if (prompts.hash !== config.prompts.hash) {
    throw new UmaError("config", `the prompts "${config.prompts.name}" have changed since ${folder.path} was started`, {
      fix: "start a new run with --out, or restore the prompt files",
    });
  }
  const cache = createEmbeddingCache();
  const progress = terminal.progress();
  try {
    const { complete } = await evaluate({
      folder,
      benchmark: await loadBenchmark(config.benchmark.name),
      variant: await loadVariant(config.variant.spec),
      policy: await policyFrom(given.baseUrl && given.resume ? { ...spec, baseURL: given.baseUrl } : spec, terminal),
      toolset: toolsetNamed(config.toolset),
      prompts,
      openSource: (chunks) => createSource(chunks, { cache }),
      stopping: interrupt.stopping,
      signal: interrupt.signal,
      onProgress: ({ done, total, totalIsFinal, resumed, failed, context }) =>
        progress.update({
          done,
          total: totalIsFinal ? total : Math.max(total, done),
          skipped: resumed,
          note: `${label}${context}${failed > 0 ? ` · ${failed} failed` : ""}`,
        }),
    });
    return complete;
  } finally {
    progress.end();
    cache.close();
  }
}

function finish(folders: readonly string[], complete: boolean, given: Given, terminal: Terminal): number {
  const summary = summarise(folders);
  terminal.print(renderTerminal(summary));
  for (const folder of folders) terminal.print(`run folder: ${folder}`);
  if (given.html && folders.length > 0) {
    const html = join(given.resume ?? given.out ?? commonFolder(folders), "report.html");
    writeReport(folders, { html });
    terminal.print(`report:     ${html}`);
  }
  if (!complete)
    terminal.note(
      `stopped before the end; go on with: umagraph eval --resume ${given.resume ?? given.out ?? commonFolder(folders)}`,
    );
  terminal.result({ complete, folders, summary });
  return complete ? exitCodes.ok : exitCodes.cancelled;
}

const commonFolder = (folders: readonly string[]) => (folders.length === 1 ? folders[0]! : join(folders[0]!, ".."));

const isFile = (target: string) => /\.ya?ml$|\.json$/.test(target);

function readBatch(path: string): BatchFile {
  if (!existsSync(path))
    throw new UmaError("input", `there is no file ${path}`, { fix: "give a batch file or a benchmark's name" });
  let value: unknown;
  try {
    value = parseYaml(readFileSync(path, "utf8"));
  } catch (cause) {
    throw new UmaError("input", `${path}: ${messageOf(cause)}`, { cause });
  }
  const parsed = BatchFile.safeParse(value);
  if (!parsed.success)
    throw new UmaError("config", `${path}: ${z.prettifyError(parsed.error).replace(/\s*\n\s*/g, " ")}`);
  return parsed.data;
}

const wasGiven = (flag: string) =>
  process.argv.some((argument) => argument === `--${flag}` || argument.startsWith(`--${flag}=`));

const pickPolicy = (given: Omit<Given, "policy">) =>
  Object.fromEntries(Object.keys(modelFlags).map((key) => [key, given[key as keyof typeof given]])) as Parameters<
    typeof policySpec
  >[0];

/** runs/x, then runs/x-2, runs/x-3 …: a new run never lands in an old folder. */
function freeFolder(base: string): string {
  for (let n = 1; ; n++) {
    const folder = n === 1 ? base : `${base}-${n}`;
    if (!existsSync(folder)) return folder;
  }
}
