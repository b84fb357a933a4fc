/** A chart of curves with its legend, and the numbers behind it for those who cannot see it. */

import { seriesClass, seriesMark, svgElement } from "../../../evals/reports/charts/svg.ts";
import { absent } from "../../../evals/reports/format-number.ts";
import { escapeHtml } from "../../../evals/reports/html/escape-html.ts";
import { type StepSeries, stepChart } from "../charts/step-chart.ts";
import type { Curve } from "../curves.ts";

/** `last`: the end of the x axis, the same for all charts of a page. */
export function curveFigure(curve: Curve, last: number): string {
  const { title, note, series, format, max } = curve;
  return [
    `<figure id="curve-${curve.id}">`,
    `<figcaption>${escapeHtml(title)}</figcaption>`,
    series.length > 1 ? legend(series) : "",
    stepChart(series, { label: title, format, last, ...(max !== undefined && { max }) }),
    note === undefined ? "" : `<p class="note">${escapeHtml(note)}</p>`,
    numbersBehind(title, series, format),
    "</figure>",
  ].join("\n");
}

function legend(series: readonly StepSeries[]): string {
  const keys = series.map(({ label, look }, index) => {
    const mark = svgElement("svg", { viewBox: "0 0 14 14", class: "key", "aria-hidden": "true" }, [
      svgElement("g", { class: `series ${seriesClass(look ?? index)}` }, [seriesMark(look ?? index, 7, 7, 5)]),
    ]);
    return `<li>${mark}${escapeHtml(label)}</li>`;
  });
  return `<ul class="legend">${keys.join("")}</ul>`;
}

/** More rows than this are thinned out. */
const mostRows = 200;

/** Closed at first: update by update, one column per series. */
export function numbersBehind(title: string, series: readonly StepSeries[], format: Curve["format"]): string {
  const all = [...new Set(series.flatMap(({ points }) => points.map(({ x }) => x)))].sort((a, b) => a - b);
  const step = Math.ceil(all.length / mostRows);
  const updates = all.filter((_, i) => i % step === 0 || i === all.length - 1);
  const values = series.map(({ points }) => new Map(points.map((point) => [point.x, point])));
  const rows = updates.map((update) => {
    const cells = values.map((byUpdate) => {
      const { y = null, low, high } = byUpdate.get(update) ?? {};
      if (y === null) return `<td class="right">${absent}</td>`;
      const interval = typeof low === "number" && typeof high === "number" ? ` [${format(low)}, ${format(high)}]` : "";
      return `<td class="right">${format(y)}${interval}</td>`;
    });
    return `<tr><th scope="row">${update}</th>${cells.join("")}</tr>`;
  });
  const heads = series.map(({ label }) => `<th scope="col" class="right">${escapeHtml(label)}</th>`);
  return [
    `<details class="behind"><summary>The numbers</summary>`,
    `<div class="scroll" tabindex="0" role="region" aria-label="${escapeHtml(`${title}: numbers`)}"><table>`,
    `<thead><tr><th scope="col">Update</th>${heads.join("")}</tr></thead><tbody>${rows.join("\n")}</tbody></table></div>${step > 1 ? `<p class="note">One row in ${step}; umagraph report --csv has them all.</p>` : ""}</details>`,
  ].join("");
}
