/** A report table as HTML. */

import { percent } from "../format-number.ts";
import { scoredText } from "../scored-text.ts";
import type { Cell, ReportTable } from "../tables/report-table.ts";
import { escapeHtml } from "./escape-html.ts";

export function htmlTable({ id, title, note, columns, rows }: ReportTable): string {
  const head = columns.map(
    ({ label, align }) => `<th scope="col" class="${align}" dir="auto">${breakable(label)}</th>`,
  );
  const body = rows.map(({ cells, part }) => {
    const written = cells.map((cell, i) =>
      i === 0
        ? `<th scope="row" dir="auto">${cellHtml(cell)}</th>`
        : `<td class="${columns[i]!.align}${typeof cell === "string" ? "" : " score"}">${cellHtml(cell)}</td>`,
    );
    return `<tr${part ? ' class="part"' : ""}>${written.join("")}</tr>`;
  });
  const anchor = anchorOf(id);
  return [
    `<section class="table" id="${anchor}" aria-labelledby="${anchor}-title">`,
    `<h3 id="${anchor}-title" dir="auto">${escapeHtml(title)}</h3>`,
    // a table that is wider than the page is scrolled, by keyboard too
    `<div class="scroll" tabindex="0" role="region" aria-labelledby="${anchor}-title">`,
    `<table><thead><tr>${head.join("")}</tr></thead><tbody>${body.join("\n")}</tbody></table></div>`,
    note === undefined ? "" : `<p class="note">${escapeHtml(note)}</p>`,
    "</section>",
  ].join("\n");
}

function cellHtml(cell: Cell): string {
  if (typeof cell === "string") return `<bdi>${escapeHtml(cell)}</bdi>`;
  const { mean, low, high, clusters, reason } = cell.score;
  const why = reason ?? `95 % interval over ${clusters} contexts`;
  const value = cell.best ? `<strong>${percent(mean)}</strong>` : percent(mean);
  const interval = low === null ? "" : `<span class="interval">[${percent(low)}, ${percent(high)}]</span>`;
  return `<span class="mean">${value}</span>${interval}<span class="n" title="${escapeHtml(why)}">${scoredText(cell.score)}</span>`;
}

/** Names like time_range_scene_amount may break at their underscores. */
const breakable = (label: string) => escapeHtml(label).replace(/_/g, "_<wbr>");

/** Ids of tables hold benchmark names; an anchor has to be one word. */
const anchorOf = (id: string) => `table-${id.replace(/[^A-Za-z0-9_-]+/g, "-")}`;
