/** umagraph report: tables, plots and a session browser from run folders; nothing is run again. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { messageOf, UmaError } from "../../base/errors.ts";
import { renderMarkdown } from "../../evals/reports/markdown.ts";
import { summarise } from "../../evals/reports/summary.ts";
import { renderTerminal } from "../../evals/reports/terminal.ts";
import { writeReport } from "../../evals/reports/write-report.ts";
import { defineCommand } from "../command.ts";
import { runFoldersIn } from "../run-folders.ts";

export const command = defineCommand({
  name: "report",
  summary: "tables, plots and a session browser from run folders",
  usage: "<run folder> … [flags]",
  flags: z.object({
    html: z.string().optional().describe("Where to write the HTML report (default: report.html in the first folder)"),
    markdown: z.string().optional().describe("Also write the tables as Markdown to this file; - prints them"),
  }),
  examples: [
    { run: "umagraph report runs/2026-11-30-ledger-qa", what: "one run or one batch" },
    { run: "umagraph report runs/* --markdown results.md", what: "several runs side by side" },
  ],
  async run({ flags, positionals, terminal }) {
    if (positionals.length === 0)
      throw new UmaError("config", "no run folder given", { fix: "umagraph report runs/<folder>" });
    const folders = positionals.flatMap(runFoldersIn);
    const summary = summarise(folders);
    const html = flags.html ?? join(positionals[0]!, "report.html");
    writeReport(folders, { html });
    if (flags.markdown === "-") terminal.print(renderMarkdown(summary));
    else terminal.print(renderTerminal(summary));
    if (flags.markdown !== undefined && flags.markdown !== "-") {
      try {
        writeFileSync(flags.markdown, renderMarkdown(summary));
      } catch (cause) {
        throw new UmaError("store", `cannot write ${flags.markdown}: ${messageOf(cause)}`, { cause });
      }
    }
    terminal.print(`report: ${html}`);
    terminal.result({ folders, html, summary });
    return 0;
  },
});
