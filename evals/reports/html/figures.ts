/** The plots of a report, drawn when the report is made: score over the horizon (Fig. 4), score per category, cost apart for building and answering. */

import { barChart } from "../charts/bar-chart.ts";
import { scoreCurve } from "../charts/score-curve.ts";
import { seriesClass, seriesMark, svgElement } from "../charts/svg.ts";
import { absent, duration, percent, whole } from "../format-number.ts";
import { runLabel } from "../run-label.ts";
import { scoredText } from "../scored-text.ts";
import type { Cost } from "../summary/cost.ts";
import { compareValues } from "../summary/metric-values.ts";
import type { GroupSummary, ReportSummary } from "../summary.ts";
import { describeSeeds } from "../tables/result-tables.ts";
import { escapeHtml } from "./escape-html.ts";

/** Beyond this many rows of bars a table is easier to read. */
const mostBarGroups = 40;

export function scoreFigures(groups: readonly GroupSummary[]): string[] {
  const scored = groups.filter(({ headline }) => headline !== null);
  const [first] = scored;
  if (!first) return [];
  const { benchmark, headline } = first;
  const metric = headline!;
  const labels = scored.map((group) =>
    group.seeds.length > 1 ? `${group.label} · ${describeSeeds(group)}` : group.label,
  );
  const figures: string[] = [];

  const facets = [...new Set(scored.flatMap((group) => Object.keys(group.facets)))];
  for (const facet of facets) {
    const series = scored.map((group, i) => ({
      label: labels[i]!,
      points: (group.facets[facet] ?? []).flatMap(({ value, metrics }) =>
        typeof value === "number" && metrics[metric] ? [{ x: value, value: metrics[metric] }] : [],
      ),
    }));
    if (new Set(series.flatMap(({ points }) => points.map(({ x }) => x))).size < 2) continue;
    const svg = scoreCurve(series, { x: facet, y: `${metric} × 100` });
    figures.push(figure(`${benchmark}: ${metric} by ${facet}`, svg, { legend: labels, marks: true }));
  }

  const categories = [...new Set(scored.flatMap((group) => group.categories.map(({ value }) => value)))].sort(
    compareValues,
  );
  if (categories.length > 1 && categories.length <= mostBarGroups) {
    const bars = categories.map((category) => ({
      label: String(category),
      bars: scored.map((group, series) => {
        const value = group.categories.find((slice) => slice.value === category)?.metrics[metric];
        if (!value) return { series, value: null, note: absent, tip: `${labels[series]}: not asked` };
        const { mean, low, high } = value;
        return {
          series,
          value: mean,
          low,
          high,
          note: `${percent(mean)} · ${scoredText(value)}`,
          tip: `${labels[series]}, ${category}: ${percent(mean)}${low === null ? "" : ` [${percent(low)}, ${percent(high)}]`}, ${scoredText(value)} questions`,
        };
      }),
    }));
    const svg = barChart(bars, {
      label: `${metric} by category`,
      max: 1,
      tick: (value) => String(Math.round(value * 100)),
    });
    figures.push(figure(`${benchmark}: ${metric} by category`, svg, { legend: labels }));
  }
  return figures;
}

export function costFigures(summary: ReportSummary): string[] {
  if (summary.runs.length > mostBarGroups) return [];
  const unit = timeUnit(
    Math.max(0, ...summary.runs.flatMap(({ cost }) => [cost.build, cost.answer].map((part) => part?.sessionMs ?? 0))),
  );
  return [
    costFigure(summary, {
      title: "Tokens",
      note: "Initial prompts and all that followed them, by the policy's counter.",
      value: ({ tokens }) => tokens.prompt + tokens.interaction,
      format: whole,
      tick: (value) => (value >= 1e6 ? `${value / 1e6} M` : value >= 1e3 ? `${value / 1e3} k` : String(value)),
    }),
    costFigure(summary, {
      title: "Time",
      note: "Wall time summed over sessions.",
      value: ({ sessionMs }) => sessionMs / unit.ms,
      format: (value) => duration(value * unit.ms),
      tick: (value) => `${value} ${unit.name}`,
    }),
  ];
}

/** Ticks at round numbers of what people count in. */
const timeUnit = (most: number) =>
  most < 1_000
    ? { ms: 1, name: "ms" }
    : most < 120_000
      ? { ms: 1_000, name: "s" }
      : most < 7_200_000
        ? { ms: 60_000, name: "min" }
        : { ms: 3_600_000, name: "h" };

function costFigure(
  summary: ReportSummary,
  options: {
    title: string;
    note: string;
    value: (cost: Cost) => number;
    format: (value: number) => string;
    tick: (value: number) => string;
  },
): string {
  const { title, note, value, format, tick } = options;
  const parts = ["build", "answer"] as const;
  const legend = ["building", "answering"];
  const groups = summary.runs.map((run, index) => {
    const label = runLabel(summary, index);
    const bars = parts.map((part, series) => {
      const cost = run.cost[part];
      const amount = cost === null ? null : value(cost);
      const shown = amount === null ? absent : format(amount);
      return { series, value: amount, note: shown, tip: `${label}, ${legend[series]}: ${shown}` };
    });
    return { label, bars };
  });
  const svg = barChart(groups, { label: title, tick, labels: "above" });
  return figure(title, svg, { legend, note });
}

/** `marks`: the plot draws points, and the legend shows their shapes. */
function figure(
  title: string,
  svg: string,
  { legend, note, marks = false }: { legend: readonly string[]; note?: string; marks?: boolean },
): string {
  const keys = legend.map((label, i) => {
    const mark = svgElement("svg", { viewBox: "0 0 14 14", class: `key ${seriesClass(i)}`, "aria-hidden": "true" }, [
      svgElement("g", { class: `series ${seriesClass(i)}` }, [
        marks ? seriesMark(i, 7, 7, 5) : svgElement("rect", { x: 1, y: 2, width: 12, height: 10, rx: 2 }),
      ]),
    ]);
    return `<li>${mark}<bdi>${escapeHtml(label)}</bdi></li>`;
  });
  return [
    "<figure>",
    `<figcaption dir="auto">${escapeHtml(title)}</figcaption>`,
    `<ul class="legend">${keys.join("")}</ul>`,
    svg,
    note === undefined ? "" : `<p class="note">${escapeHtml(note)}</p>`,
    "</figure>",
  ].join("\n");
}
