/** A report as Markdown: the same tables, for a README, an issue or a paper's appendix. */

import { percent } from "./format-number.ts";
import { reportRemarks } from "./remarks.ts";
import { scoredText } from "./scored-text.ts";
import type { ReportSummary } from "./summary.ts";
import type { Cell, ReportTable } from "./tables/report-table.ts";
import { resultTables } from "./tables/result-tables.ts";
import { runTables } from "./tables/run-tables.ts";

export function renderMarkdown(summary: ReportSummary): string {
  const remarks = reportRemarks(summary).map((remark) => `> **${escapeMarkdown(remark)}**`);
  const tables = [...resultTables(summary), ...runTables(summary)].map(renderTable);
  return `${["# umagraph report", ...(remarks.length > 0 ? [remarks.join("\n>\n")] : []), ...tables].join("\n\n")}\n`;
}

function renderTable({ title, note, columns, rows }: ReportTable): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [
    `## ${escapeMarkdown(title)}`,
    ...(note === undefined ? [] : ["", escapeMarkdown(note)]),
    "",
    line(columns.map(({ label }) => escapeMarkdown(label))),
    line(columns.map(({ align }) => (align === "left" ? "---" : "--:"))),
    ...rows.map(({ cells, part }) =>
      line(cells.map((cell, i) => (i === 0 && part ? `↳ ${cellText(cell)}` : cellText(cell)))),
    ),
  ].join("\n");
}

function cellText(cell: Cell): string {
  if (typeof cell === "string") return escapeMarkdown(cell);
  const { mean, low, high } = cell.score;
  const value = cell.best ? `**${percent(mean)}**` : percent(mean);
  const interval = low === null ? "" : ` [${percent(low)}, ${percent(high)}]`;
  return `${value}${interval} (${scoredText(cell.score)})`;
}

/** One line whose characters all mean themselves, also where HTML in Markdown is on. */
export function escapeMarkdown(text: string): string {
  return text
    .replace(/\s+/g, " ")
    .replace(/[\\`*_[\]{}|#~!]/g, "\\$&")
    .replace(/&/g, "&amp;")
    .replace(/</g, "&lt;")
    .replace(/>/g, "&gt;");
}
