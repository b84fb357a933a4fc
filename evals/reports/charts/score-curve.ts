/** Score against a numeric facet with its intervals: the shape of the paper's Fig. 4 (score over the session horizon). */

import { percent } from "../format-number.ts";
import { scoredText } from "../scored-text.ts";
import type { MetricValue } from "../summary/metric-values.ts";
import { seriesClass, seriesMark, svgElement, svgLine, svgText, svgTextContent } from "./svg.ts";

export interface CurveSeries {
  readonly label: string;
  readonly points: readonly { readonly x: number; readonly value: MetricValue }[];
}

const width = 620;
const height = 320;
const plot = { left: 48, right: width - 16, top: 14, bottom: height - 44 };
/** Beyond this ratio of the largest to the smallest x, a linear axis would crowd the small ones. */
const logRatio = 12;
/** Series stand side by side at each x, so that their whiskers do not cover each other. */
const dodge = 6;

export function scoreCurve(series: readonly CurveSeries[], labels: { readonly x: string; readonly y: string }): string {
  const xs = [...new Set(series.flatMap(({ points }) => points.map(({ x }) => x)))].sort((a, b) => a - b);
  const place = scale(xs, (series.length - 1) * (dodge / 2) + 10);
  const y = (share: number) => plot.bottom - share * (plot.bottom - plot.top);
  const grid = [0, 0.2, 0.4, 0.6, 0.8, 1].flatMap((share) => [
    svgLine(plot.left, y(share), plot.right, y(share), share === 0 ? "axis" : "grid"),
    svgText(plot.left - 8, y(share) + 4, String(Math.round(share * 100)), { class: "tick", "text-anchor": "end" }),
  ]);
  const drawn = series.map(({ label, points }, index) => {
    const shift = (index - (series.length - 1) / 2) * dodge;
    const marks = [...points]
      .sort((a, b) => a.x - b.x)
      .flatMap(({ x, value }) =>
        value.mean === null ? [] : [{ x: place(x) + shift, at: x, value, mean: value.mean }],
      );
    const path = marks.map(({ x, mean }, i) => `${i === 0 ? "M" : "L"}${x.toFixed(1)} ${y(mean).toFixed(1)}`).join("");
    return svgElement("g", { class: `series ${seriesClass(index)}` }, [
      svgElement("path", { d: path, class: "curve" }),
      ...marks.map(({ x, at, value, mean }) =>
        svgElement("g", { class: "mark" }, [
          svgElement("title", {}, [describe(label, `${labels.x} ${at}`, value)]),
          ...(value.low === null || value.high === null ? [] : whisker(x, y(value.low), y(value.high))),
          seriesMark(index, x, y(mean)),
        ]),
      ),
    ]);
  });
  return svgElement(
    "svg",
    { viewBox: `0 0 ${width} ${height}`, class: "chart", role: "img", "aria-label": `${labels.y} by ${labels.x}` },
    [
      ...grid,
      ...xTicks(xs, place),
      svgText((plot.left + plot.right) / 2, height - 6, labels.x, { class: "title", "text-anchor": "middle" }),
      svgText(14, (plot.top + plot.bottom) / 2, labels.y, {
        class: "title",
        "text-anchor": "middle",
        transform: `rotate(-90 14 ${(plot.top + plot.bottom) / 2})`,
      }),
      ...drawn,
    ],
  );
}

const whisker = (x: number, low: number, high: number) => [
  svgLine(x, low, x, high, "whisker"),
  svgLine(x - 3, low, x + 3, low, "whisker"),
  svgLine(x - 3, high, x + 3, high, "whisker"),
];

function describe(label: string, where: string, value: MetricValue): string {
  const { mean, low, high } = value;
  const interval = low === null ? "no interval" : `[${percent(low)}, ${percent(high)}]`;
  return svgTextContent(`${label}, ${where}: ${percent(mean)} ${interval}, ${scoredText(value)} questions`);
}

function scale(xs: readonly number[], margin: number): (x: number) => number {
  const [first, last] = [xs[0] ?? 0, xs.at(-1) ?? 1];
  const isLog = first > 0 && last / first >= logRatio;
  const value = isLog ? Math.log : (x: number) => x;
  const span = value(last) - value(first);
  const [left, right] = [plot.left + margin, plot.right - margin];
  return (x) => (span === 0 ? (left + right) / 2 : left + ((value(x) - value(first)) / span) * (right - left));
}

/** A label at every value that was run, unless it would touch the one before. */
function xTicks(xs: readonly number[], place: (x: number) => number): string[] {
  let free = Number.NEGATIVE_INFINITY;
  return xs.flatMap((x) => {
    const at = place(x);
    const half = String(x).length * 3.6 + 3;
    const tick = svgLine(at, plot.bottom, at, plot.bottom + 4, "axis");
    if (at - half < free) return [tick];
    free = at + half;
    return [tick, svgText(at, plot.bottom + 18, String(x), { class: "tick", "text-anchor": "middle" })];
  });
}
