/** Makes a report of run folders: the summary is always made, files are written where they are asked for. */
import { writeWhole } from "../run-folder.ts";
import { type HtmlOptions, renderHtml } from "./html.ts";
import { renderMarkdown } from "./markdown.ts";
import { readRuns } from "./read-run.ts";
import { type ReportSummary, type SummaryOptions, summariseRuns } from "./summary.ts";

export interface WriteReportOptions extends SummaryOptions, HtmlOptions {
  /** Paths; a form without one is not written. */
  readonly html?: string;
  readonly markdown?: string;
  readonly json?: string;
}

export interface WrittenReport {
  readonly summary: ReportSummary;
  readonly written: readonly string[];
  /** Sessions in the HTML file, of those that the runs have; null when no HTML was asked for. */
  readonly sessions: { readonly embedded: number; readonly total: number } | null;
}

/** Throws `input` for what is no run folder, `store` when a file cannot be written. Files appear whole or not at all. */
export function writeReport(folders: readonly string[], options: WriteReportOptions = {}): WrittenReport {
  const runs = readRuns(folders);
  const summary = summariseRuns(runs, options);
  const written: string[] = [];
  const write = (path: string, text: string) => {
    writeWhole(path, text);
    written.push(path);
  };
  if (options.json !== undefined) write(options.json, `${JSON.stringify(summary, null, 2)}\n`);
  if (options.markdown !== undefined) write(options.markdown, renderMarkdown(summary));
  if (options.html === undefined) return { summary, written, sessions: null };
  const { html, sessions } = renderHtml(summary, runs, options);
  write(options.html, html);
  return { summary, written, sessions };
}
