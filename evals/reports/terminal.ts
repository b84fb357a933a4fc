/** A report for the terminal: aligned tables within a given width, safe for wide characters and hostile texts. */

import { clipToWidth, displayWidth, padToWidth, printable } from "./display-width.ts";
import { percent } from "./format-number.ts";
import { reportRemarks } from "./remarks.ts";
import { runFacts } from "./run-facts.ts";
import { runLabel } from "./run-label.ts";
import { scoredText } from "./scored-text.ts";
import type { ReportSummary } from "./summary.ts";
import type { Cell, ReportTable } from "./tables/report-table.ts";
import { resultTables, scoreNote } from "./tables/result-tables.ts";

export interface TerminalOptions {
  /** Columns to stay within; tables that are wider go on below. */
  readonly width?: number;
}

/** Scores first, then each run in a few lines; the Markdown, JSON and HTML forms hold the tables behind those. */
export function renderTerminal(summary: ReportSummary, { width = 100 }: TerminalOptions = {}): string {
  const remarks = reportRemarks(summary).flatMap((remark) => wrap(printable(remark), width, "! ", "  "));
  const tables = resultTables(summary).map((table) => renderTable(table, width));
  const runs = summary.runs.map((run, index) =>
    [
      printable(runLabel(summary, index)),
      ...runFacts(run).flatMap(([name, fact]) =>
        wrap(printable(fact), width, `  ${padToWidth(name, factName, "left")}`, " ".repeat(factName + 2)),
      ),
    ].join("\n"),
  );
  const notes = wrap(`${scoreNote(summary)} * is the highest of its column.`, width, "", "");
  return `${[...(remarks.length > 0 ? [remarks.join("\n")] : []), ...tables, notes.join("\n"), ...runs].join("\n\n")}\n`;
}

const factName = 19;

/** Lines of at most `width` columns, broken at blanks; a longer word stays whole, so that a path can be copied. */
function wrap(text: string, width: number, first: string, next: string): string[] {
  const lines: string[] = [];
  let line = first;
  let start = true;
  for (const word of text.split(" ")) {
    if (!start && displayWidth(line) + 1 + displayWidth(word) > width) {
      lines.push(line);
      line = next;
      start = true;
    }
    line += start ? word : ` ${word}`;
    start = false;
  }
  return [...lines, line];
}

const gap = "  ";
/** A label may take so much of the width, so that numbers have room. */
const labelShare = 0.45;
const leastLabel = 8;

export function renderTable(table: ReportTable, width: number): string {
  const texts = table.rows.map((row) =>
    row.cells.map((cell, column) => (column === 0 && row.part ? `  ${cellText(cell)}` : cellText(cell))),
  );
  const widest = Math.max(
    0,
    ...table.columns.flatMap(({ align }, i) =>
      align === "left" ? [] : texts.map((row) => displayWidth(row[i] ?? "")),
    ),
  );
  const most = Math.max(leastLabel, Math.min(Math.floor(width * labelShare), width - gap.length - widest));
  const columns = table.columns.map(({ label, align }, i) => {
    const cells = texts.map((row) => (align === "left" ? clipToWidth(row[i] ?? "", most) : (row[i] ?? "")));
    const heading = printable(label);
    return { align, heading, cells, width: Math.max(displayWidth(heading), ...cells.map(displayWidth)) };
  });
  const [label, ...values] = columns as [(typeof columns)[number], ...typeof columns];

  const blocks: (typeof columns)[] = [];
  let room = 0;
  for (const column of values) {
    room -= gap.length + column.width;
    if (room < 0) {
      blocks.push([label]);
      room = width - label.width - gap.length - column.width;
    }
    blocks.at(-1)!.push(column);
  }
  if (values.length === 0) blocks.push([label]);
  const lines = blocks.map((block) => {
    const line = (pick: (column: (typeof columns)[number]) => string) =>
      block
        .map((column) => padToWidth(pick(column), column.width, column.align))
        .join(gap)
        .trimEnd();
    const rule = "─".repeat(
      Math.min(
        width,
        block.reduce((sum, column) => sum + column.width + gap.length, -gap.length),
      ),
    );
    return [line(({ heading }) => heading), rule, ...texts.map((_, i) => line(({ cells }) => cells[i]!))].join("\n");
  });
  return [printable(table.title), ...lines.flatMap((block, i) => (i === 0 ? [block] : ["", block]))].join("\n");
}

function cellText(cell: Cell): string {
  if (typeof cell === "string") return printable(cell);
  const { mean, low, high } = cell.score;
  const interval = low === null ? "" : ` [${percent(low)}, ${percent(high)}]`;
  return `${percent(mean)}${interval} (${scoredText(cell.score)})${cell.best ? "*" : " "}`;
}
