/** umagraph rewards: rewards and advantages of a run, recomputed from its log; no model is called. */
import { z } from "zod";
import { UmaError } from "../../base/errors.ts";
import { writeCreditLog } from "../../evals/credit-log.ts";
import { whole } from "../../evals/reports/format-number.ts";
import { renderTable } from "../../evals/reports/terminal.ts";
import { creditOptions } from "../../trainers/credit/credit-options.ts";
import { creditSummary } from "../../trainers/credit/credit-summary.ts";
import { readUpdate } from "../../trainers/credit/read-update.ts";
import { type ContextCredit, runCredit } from "../../trainers/credit/run-credit.ts";
import { defineCommand } from "../command.ts";
import { creditFlags, creditSettings } from "../credit/credit-flags.ts";
import { optionLines, summaryLines } from "../credit/credit-lines.ts";
import { creditTables } from "../credit/credit-tables.ts";
import { nameList } from "../flags.ts";
import { oneRunFolder } from "../one-run.ts";

/** Tables of more contexts are read in the files. */
const mostContexts = 4;

export const command = defineCommand({
  name: "rewards",
  summary: "rewards and advantages of a run, recomputed from its log",
  usage: "<run folder> [flags]",
  details:
    "No model is called. Writes rewards.jsonl, advantages.jsonl and credit.json into the run folder and prints the tables:\n" +
    "a row per trajectory, a column per chunk or question; – is no signal, which is not 0.",
  flags: z.object({
    ...creditFlags,
    context: nameList.optional().describe(`Print the tables of these contexts (default: the first ${mostContexts})`),
    write: z.boolean().default(true).describe("Write the tables into the run folder"),
  }),
  examples: [
    { run: "umagraph rewards runs/r1", what: "the paper's rewards and advantages" },
    {
      run: "umagraph rewards runs/r1 --lambda 0 --outcome decimal-exact",
      what: "the outcome alone, by another metric",
    },
    { run: "umagraph rewards runs/r1 --estimator global-group --no-write", what: "an ablation, only looked at" },
    { run: "umagraph rewards runs/r1 --profile uma-code --json", what: "what the published code computes, as JSON" },
  ],
  async run({ flags, positionals, terminal }) {
    const folder = oneRunFolder("rewards", positionals);
    const update = await readUpdate(folder);
    if (update.contexts.length === 0)
      throw new UmaError("input", `${folder} has no finished session yet`, { fix: "wait for the first one" });
    const options = creditOptions(update, creditSettings(flags));
    const credit = runCredit(update, options);
    const shown = chosen(credit.contexts, flags.context);
    if (flags.write) writeCreditLog(folder, credit.log);

    const { scoredNow } = update;
    if (scoredNow > 0)
      terminal.note(`${whole(scoredNow)} answers had no line in scores.jsonl yet and were scored for this`);
    for (const line of optionLines(options)) terminal.print(line);
    for (const context of shown)
      for (const table of creditTables(context)) terminal.print(`\n${renderTable(table, terminal.columns)}`);
    const more = credit.contexts.length - shown.length;
    if (more > 0 && flags.context === undefined)
      terminal.print(`\n${whole(more)} more contexts: --context <id>, or read the files`);
    terminal.print();
    const summary = creditSummary(credit.log);
    for (const line of summaryLines(summary)) terminal.print(line);
    terminal.print(
      flags.write ? `\nwritten: rewards.jsonl, advantages.jsonl and credit.json in ${folder}` : "\nnothing was written",
    );
    terminal.result({
      folder,
      written: flags.write,
      options: credit.log.options,
      summary,
      scoredNow,
      contexts: (flags.context === undefined ? credit.contexts : shown).map(tablesOf),
    });
    return 0;
  },
});

function chosen(contexts: readonly ContextCredit[], ids: readonly string[] | undefined): readonly ContextCredit[] {
  if (ids === undefined) return contexts.slice(0, mostContexts);
  const unknown = ids.find((id) => !contexts.some(({ context }) => context === id));
  if (unknown === undefined) return contexts.filter(({ context }) => ids.includes(context));
  const names = contexts.map(({ context }) => context);
  throw new UmaError("config", `no context with a session is named "${unknown}"`, {
    fix: `contexts: ${names.slice(0, 10).join(", ")}${names.length > 10 ? ", …" : ""}`,
  });
}

function tablesOf({ context, tables, A_mem, A_qa }: ContextCredit) {
  const { grid, r_tool_mem, r_tool_qa, r_outcome, r_bar, R_mem, R_qa } = tables;
  const { trajectories, chunks, questions } = grid;
  return {
    context,
    trajectories,
    chunks,
    questions,
    r_tool_mem,
    r_tool_qa,
    r_outcome,
    r_bar,
    R_mem,
    R_qa,
    A_mem,
    A_qa,
  };
}
