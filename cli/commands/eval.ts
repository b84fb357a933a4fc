/** umagraph eval: benchmark × variants × policies × seeds → run folders, resumable, with a table at the end. */
import { join } from "node:path";
import { readBatchFile } from "../../evals/batch.ts";
import { benchmarkNames, loadBenchmark } from "../../evals/benchmarks/index.ts";
import type { EvaluateResult } from "../../evals/evaluate.ts";
import { renderTerminal } from "../../evals/reports/terminal.ts";
import { writeReport } from "../../evals/reports/write-report.ts";
import { benchmarkFlags } from "../benchmark-flags.ts";
import { defineCommand } from "../command.ts";
import { type EvalFlags, evalFlags } from "../eval/eval-flags.ts";
import { outcomeOf } from "../eval/outcome.ts";
import { isBatchFile, knownBenchmark, type PlannedBatch, planNew, planResume } from "../eval/plan-runs.ts";
import { mainTables, resultRows } from "../eval/results.ts";
import { runBatch } from "../eval/run-batch.ts";
import { onInterrupt } from "../interrupt.ts";
import type { Terminal } from "../terminal.ts";

export const command = defineCommand({
  name: "eval",
  summary: "run a benchmark: variants × policies → run folders",
  usage: "<benchmark | batch.yaml> [flags]",
  details: [
    `Benchmarks: ${benchmarkNames().join(", ")}. A benchmark's own options are flags too: umagraph eval ledger-qa --help.`,
    "A batch file (YAML) has the fields benchmark, config (the benchmark's own options), variants, policies, seeds, name,",
    "toolset, prompts, budget and concurrency; only benchmark is needed, and flags given beside the file win. Example:",
    "examples/batch.yaml.",
    "Ctrl-C lets the running sessions finish; --resume <folder> goes on. An existing folder is never overwritten.",
  ].join("\n"),
  flags: evalFlags,
  async moreFlags(words) {
    // a value of the benchmark's own flags may look like a batch file: --data x.json
    const named = words.find((word) => benchmarkNames().includes(word));
    if (named !== undefined) return benchmarkFlags(await loadBenchmark(named));
    const file = words.find((word) => /\.ya?ml$/i.test(word)) ?? words.find(isBatchFile);
    return file === undefined ? null : benchmarkFlags(await knownBenchmark(readBatchFile(file).benchmark));
  },
  examples: [
    { run: "umagraph eval ledger-qa --horizon 2,10,50 --policy ledger-expert", what: "offline, without a model" },
    {
      run: "umagraph eval locomo --data locomo10.json --variant uma,rag,concat --policy openai --model gpt-4o-mini",
      what: "three variants on your copy of LoCoMo",
    },
    { run: "umagraph eval batch.yaml --seed 1,2,3", what: "a batch file, with other seeds" },
    { run: "umagraph eval --resume runs/2026-11-30-ledger-qa", what: "go on after a stop" },
    { run: "umagraph eval --resume runs/2026-11-30-ledger-qa --retry-failed", what: "and try failed sessions again" },
  ],
  async run({ flags, more, positionals, typed, terminal }) {
    const interrupt = onInterrupt(terminal.note);
    try {
      const given = { flags, more, positionals, typed };
      const batch = flags.resume === undefined ? await planNew(given) : planResume(given);
      if (flags.resume !== undefined) terminal.note(`resuming ${batch.place} (${count(batch.runs.length, "run")})`);
      const concurrency = typed.has("concurrency") ? flags.concurrency : undefined;
      const results = await runBatch(batch, { ...flags, concurrency }, { command: "eval", interrupt, terminal });
      return finish(batch, results, flags, terminal);
    } finally {
      interrupt.release();
    }
  },
});

function finish(batch: PlannedBatch, results: readonly EvaluateResult[], flags: EvalFlags, terminal: Terminal): number {
  const { runs, place } = batch;
  const folders = runs.map(({ folder }) => folder.path);
  const width = terminal.columns;
  const html = flags.html ? join(place, "report.html") : undefined;
  const { summary } = writeReport(folders, html === undefined ? {} : { html });
  terminal.print(flags.verbose ? renderTerminal(summary, { width }) : `${mainTables(summary, width)}\n`);
  terminal.print(`run folder: ${place}${folders.length > 1 ? ` (${folders.length} runs)` : ""}`);
  if (html !== undefined) terminal.print(`report:     ${html}`);
  if (!flags.verbose) terminal.print(`all tables: umagraph report ${place}`);
  const outcome = outcomeOf({ planned: runs.length, place }, results);
  if (outcome.note !== null) terminal.note(`\n${outcome.note}`);
  terminal.result({
    complete: outcome.complete,
    stopped: outcome.stopped,
    folders,
    html: html ?? null,
    results: resultRows(summary),
    summary,
  });
  return outcome.code;
}

const count = (n: number, word: string) => `${n} ${word}${n === 1 ? "" : "s"}`;
