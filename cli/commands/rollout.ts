/** umagraph rollout: G memory trajectories per context, each final memory branched into the same M questions → a run folder. */

import { UmaError } from "../../base/errors.ts";
import { refuseUnknownPacking } from "../../base/packed-file.ts";
import { benchmarkNames, loadBenchmark } from "../../evals/benchmarks/index.ts";
import { writeCreditLog } from "../../evals/credit-log.ts";
import { renderTerminal } from "../../evals/reports/terminal.ts";
import { writeReport } from "../../evals/reports/write-report.ts";
import { creditOptions } from "../../trainers/credit/credit-options.ts";
import { creditSummary } from "../../trainers/credit/credit-summary.ts";
import { readUpdate } from "../../trainers/credit/read-update.ts";
import { runCredit } from "../../trainers/credit/run-credit.ts";
import { benchmarkFlags } from "../benchmark-flags.ts";
import { defineCommand } from "../command.ts";
import { summaryLines } from "../credit/credit-lines.ts";
import { outcomeOf } from "../eval/outcome.ts";
import { isBatchFile, planNew, planResume } from "../eval/plan-runs.ts";
import { mainTables } from "../eval/results.ts";
import { runBatch } from "../eval/run-batch.ts";
import { onInterrupt } from "../interrupt.ts";
import { rolloutFlags } from "../rollout/rollout-flags.ts";

export const command = defineCommand({
  name: "rollout",
  summary: "sample G memories × M questions per context → a run folder with rewards and advantages",
  usage: "<benchmark> [flags]",
  details: [
    `Benchmarks: ${benchmarkNames().join(", ")}. A benchmark's own options are flags too: umagraph rollout ledger-qa --help.`,
    "Per context G trajectories are sampled, and each final memory answers the same M questions, drawn once by the seed.",
    "records.jsonl grows as sessions end (docs/event-log.md); umagraph inspect, rewards and batch read it, also meanwhile.",
    "Ctrl-C lets the running sessions finish; --resume <folder> goes on. An existing folder is never overwritten.",
  ].join("\n"),
  flags: rolloutFlags,
  async moreFlags(words) {
    const named = words.find((word) => benchmarkNames().includes(word));
    return named === undefined ? null : benchmarkFlags(await loadBenchmark(named));
  },
  examples: [
    {
      run: "umagraph rollout ledger-qa --horizon 5 --contexts 4 --G 4 --M 8 --policy ledger-expert --noise 0.2 --out runs/r1",
      what: "offline: the scripted expert, with a seeded rate of mistakes",
    },
    { run: "umagraph inspect runs/r1", what: "look at it: trajectories, rewards, advantages" },
    {
      run: "umagraph rollout locomo --data locomo10.json --G 8 --M 20 --concurrency 64 --policy openai --model gpt-4o-mini",
      what: "with a model behind a server",
    },
    { run: "umagraph rollout --resume runs/r1", what: "go on after a stop" },
  ],
  async run({ flags, more, positionals, typed, terminal }) {
    if (flags.compress !== undefined) refuseUnknownPacking(flags.compress);
    const interrupt = onInterrupt(terminal.note);
    try {
      const asEval = { ...flags, variant: [flags.variant], seed: [flags.seed] };
      const given = {
        flags: { ...asEval, policy: flags.policy === undefined ? undefined : [flags.policy] },
        ...{ more, positionals },
        typed: new Set([...typed].filter((key) => key !== "compress" || flags.resume === undefined)),
      };
      const { G, M } = flags;
      if (positionals.some(isBatchFile))
        throw new UmaError("config", "a rollout is of one benchmark, variant and policy, not of a batch file", {
          fix: `umagraph rollout ${benchmarkNames().join(" | ")}`,
        });
      const batch = flags.resume === undefined ? await planNew(given, { G, M: M ?? null }) : planResume(given);
      const [run] = batch.runs;
      const { place } = batch;
      if (flags.resume !== undefined) terminal.note(`resuming ${place}`);
      const concurrency = typed.has("concurrency") ? flags.concurrency : undefined;
      const options = { ...flags, concurrency, packing: flags.compress };
      const results = await runBatch(batch, options, { command: "rollout", interrupt, terminal });
      const outcome = outcomeOf({ planned: 1, place, command: "rollout" }, results);

      const update = await readUpdate(place);
      // stopped before the first answer there is nothing to make rewards of, and the run's own sentence counts
      const credit = update.scores.length === 0 ? null : runCredit(update, creditOptions(update, {}));
      if (credit) writeCreditLog(place, credit.log);
      const html = flags.html ? `${place}/report.html` : undefined;
      const { summary } = writeReport([place], html === undefined ? {} : { html });
      const width = terminal.columns;
      terminal.print(flags.verbose ? renderTerminal(summary, { width }) : `${mainTables(summary, width)}\n`);
      const credits = credit && creditSummary(credit.log);
      if (credits) for (const line of summaryLines(credits)) terminal.print(line);
      terminal.print(`\nrun folder: ${place}`);
      terminal.print(`look at it: umagraph inspect ${place}`);
      if (outcome.note !== null) terminal.note(`\n${outcome.note}`);
      terminal.result({
        complete: outcome.complete,
        stopped: outcome.stopped,
        folder: place,
        html: html ?? null,
        rollout: run!.folder.config.rollout,
        sessions: results[0] ?? null,
        credit: credits,
        summary,
      });
      return outcome.code;
    } finally {
      interrupt.release();
    }
  },
});
