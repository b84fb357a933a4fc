/** umagraph report: tables, plots and a session browser from run folders, curves and habits of training runs; nothing is run again. */
import { join } from "node:path";
import { z } from "zod";
import { UmaError } from "../../base/errors.ts";
import { renderMarkdown } from "../../evals/reports/markdown.ts";
import { type ReportSummary, summarise } from "../../evals/reports/summary.ts";
import { renderTerminal } from "../../evals/reports/terminal.ts";
import { writeReport } from "../../evals/reports/write-report.ts";
import { isTrainingFolder } from "../../trainers/diff/compare-trainings.ts";
import { defineCommand } from "../command.ts";
import { nameList } from "../flags.ts";
import { reportTrainings } from "../report-trainings.ts";
import { runFoldersIn } from "../run-folders.ts";

export const command = defineCommand({
  name: "report",
  summary: "tables, plots and a session browser from run folders",
  usage: "<run folder> … [flags]",
  details:
    "Of a training run (also one that is still going on): curves, the habit panel, evaluations, and questions before\n" +
    "and after, as one page without a script. --csv writes its numbers for a spreadsheet, MLflow or W&B.",
  flags: z.object({
    html: z.string().optional().describe("Where to write the HTML report (default: report.html in the first folder)"),
    markdown: z.string().optional().describe("Also write the tables as Markdown to this file; - prints them"),
    sessions: z.coerce
      .number()
      .int()
      .min(0)
      .optional()
      .describe("Most sessions in the page (default 20,000); it says how many were left out"),
    csv: z.string().optional().describe("Training runs: also write the numbers of all updates to this file"),
    context: nameList.optional().describe("Only the sessions of these contexts in the page, e.g. conv-26,conv-30"),
  }),
  examples: [
    { run: "umagraph report runs/2026-11-30-ledger-qa", what: "one run or one batch" },
    { run: "umagraph report runs/* --markdown results.md", what: "several runs side by side" },
    { run: "umagraph report runs/train-demo --csv demo.csv", what: "a training run, while it runs or after it" },
  ],
  async run({ flags, positionals, terminal }) {
    if (positionals.length === 0)
      throw new UmaError("config", "no run folder given", { fix: "umagraph report runs/<folder>" });
    const trainings = positionals.filter(isTrainingFolder);
    if (trainings.length > 0)
      return reportTrainings(onlyTrainings(trainings, positionals, flags), { ...flags, terminal });
    if (flags.csv !== undefined)
      throw new UmaError("config", "--csv is for training runs", {
        fix: "use --markdown for tables of other runs, or --json for all of their numbers",
      });
    const folders = positionals.flatMap(runFoldersIn);
    const html = flags.html ?? join(positionals[0]!, "report.html");
    const markdown = flags.markdown === "-" ? undefined : flags.markdown;
    const show = (summary: ReportSummary) =>
      terminal.print(
        flags.markdown === "-" ? renderMarkdown(summary) : renderTerminal(summary, { width: terminal.columns }),
      );
    let summary: ReportSummary;
    try {
      ({ summary } = writeReport(folders, {
        html,
        ...(markdown !== undefined && { markdown }),
        limit: {
          ...(flags.sessions !== undefined && { sessions: flags.sessions }),
          ...(flags.context !== undefined && { contexts: flags.context }),
        },
      }));
    } catch (thrown) {
      // the tables are worth having also where the report cannot be written
      if (thrown instanceof UmaError && thrown.code === "store") show(summarise(folders));
      throw thrown;
    }
    show(summary);
    terminal.print(`report: ${html}`);
    terminal.result({ folders, html, summary });
    return 0;
  },
});

/** Curves of a training and scores of runs do not stand on one page. */
function onlyTrainings(
  trainings: readonly string[],
  given: readonly string[],
  flags: Readonly<Partial<Record<"markdown" | "sessions" | "context", unknown>>>,
): readonly string[] {
  const other = given.find((path) => !trainings.includes(path));
  if (other !== undefined)
    throw new UmaError("config", `${trainings[0]} is a training run and ${other} is not`, {
      fix: "report them apart; the runs inside a training are folders under its updates/ and evaluations/",
    });
  const flag = (["markdown", "sessions", "context"] as const).find((name) => flags[name] !== undefined);
  if (flag !== undefined)
    throw new UmaError("config", `--${flag} is not for training runs`, {
      fix: "leave it out; the runs inside a training are folders under its updates/ and evaluations/",
    });
  return trainings;
}
