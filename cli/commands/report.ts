/** umagraph report: tables, plots and a session browser from run folders; nothing is run again. */
import { join } from "node:path";
import { z } from "zod";
import { UmaError } from "../../base/errors.ts";
import { renderMarkdown } from "../../evals/reports/markdown.ts";
import { type ReportSummary, summarise } from "../../evals/reports/summary.ts";
import { renderTerminal } from "../../evals/reports/terminal.ts";
import { writeReport } from "../../evals/reports/write-report.ts";
import { defineCommand } from "../command.ts";
import { nameList } from "../flags.ts";
import { runFoldersIn } from "../run-folders.ts";

export const command = defineCommand({
  name: "report",
  summary: "tables, plots and a session browser from run folders",
  usage: "<run folder> … [flags]",
  flags: z.object({
    html: z.string().optional().describe("Where to write the HTML report (default: report.html in the first folder)"),
    markdown: z.string().optional().describe("Also write the tables as Markdown to this file; - prints them"),
    sessions: z.coerce
      .number()
      .int()
      .min(0)
      .optional()
      .describe("Most sessions in the page (default 20,000); it says how many were left out"),
    context: nameList.optional().describe("Only the sessions of these contexts in the page, e.g. conv-26,conv-30"),
  }),
  examples: [
    { run: "umagraph report runs/2026-11-30-ledger-qa", what: "one run or one batch" },
    { run: "umagraph report runs/* --markdown results.md", what: "several runs side by side" },
  ],
  async run({ flags, positionals, terminal }) {
    if (positionals.length === 0)
      throw new UmaError("config", "no run folder given", { fix: "umagraph report runs/<folder>" });
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
