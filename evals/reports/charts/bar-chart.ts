/** Horizontal bars in groups, with intervals where there are any: scores per category, cost of building and answering. */
import { niceTicks, seriesClass, svgElement, svgLine, svgText, svgTextContent } from "./svg.ts";

export interface Bar {
  /** Index of the series, which gives the colour. */
  readonly series: number;
  /** Null draws no bar, only the note. */
  readonly value: number | null;
  readonly low?: number | null;
  readonly high?: number | null;
  /** Written at the bar's end. */
  readonly note: string;
  /** Shown when pointed at. */
  readonly tip: string;
}

export interface BarGroup {
  readonly label: string;
  readonly bars: readonly Bar[];
}

export interface BarChartOptions {
  readonly label: string;
  /** End of the axis; by default the largest value, rounded up. */
  readonly max?: number;
  readonly tick: (value: number) => string;
  /** Long labels stand above their bars. */
  readonly labels?: "left" | "above";
  readonly width?: number;
}

const barHeight = 14;
const barGap = 3;
const groupGap = 12;
const noteRoom = 92;
const labelChars = 24;
const labelRoom = 18;

export function barChart(groups: readonly BarGroup[], options: BarChartOptions): string {
  const { width = 620, label } = options;
  const values = groups.flatMap(({ bars }) => bars.flatMap(({ value, high }) => [value ?? 0, high ?? 0]));
  const ticks = niceTicks(options.max ?? Math.max(0, ...values), 4);
  const max = options.max ?? ticks.at(-1)!;
  const longest = Math.max(...groups.map((group) => Math.min(labelChars, group.label.length)));
  const above = options.labels === "above";
  const left = above ? 24 : Math.min(width * 0.35, longest * 7.2 + 14);
  const right = width - noteRoom;
  const x = (value: number) => left + (Math.min(value, max) / max) * (right - left);

  let top = 6;
  const drawn = groups.map(({ label: name, bars }) => {
    const start = top + (above ? labelRoom : 0);
    const height = bars.length * (barHeight + barGap) - barGap;
    top = start + height + groupGap;
    return [
      above
        ? svgText(left + 5, start - 6, name, { class: "label" })
        : svgText(left - 8, start + height / 2 + 4, clip(name), { class: "label", "text-anchor": "end" }),
      ...bars.map((bar, i) => drawBar(bar, start + i * (barHeight + barGap), x)),
    ].join("");
  });
  const bottom = top - groupGap + 6;
  const axis = ticks
    .filter((value) => value <= max)
    .flatMap((value) => [
      svgLine(x(value), 0, x(value), bottom, value === 0 ? "axis" : "grid"),
      svgText(x(value), bottom + 16, options.tick(value), { class: "tick", "text-anchor": "middle" }),
    ]);
  const height = bottom + 22;
  return svgElement(
    "svg",
    { viewBox: `0 0 ${width} ${Math.ceil(height)}`, class: "chart", role: "img", "aria-label": label },
    [...axis, ...drawn],
  );
}

function drawBar({ series, value, low, high, note, tip }: Bar, y: number, x: (value: number) => number): string {
  const middle = y + barHeight / 2;
  const hasInterval = typeof low === "number" && typeof high === "number";
  const end = Math.max(x(value ?? 0), hasInterval ? x(high) : 0);
  return svgElement("g", { class: `series ${seriesClass(series)}` }, [
    svgElement("title", {}, [svgTextContent(tip)]),
    ...(value === null
      ? []
      : [
          svgElement("rect", {
            x: x(0),
            y,
            width: Math.max(1, x(value) - x(0)),
            height: barHeight,
            rx: 2,
            class: "bar",
          }),
        ]),
    ...(hasInterval
      ? [
          svgLine(x(low), middle, x(high), middle, "whisker"),
          svgLine(x(low), middle - 3, x(low), middle + 3, "whisker"),
          svgLine(x(high), middle - 3, x(high), middle + 3, "whisker"),
        ]
      : []),
    svgText(end + 6, middle + 4, note, { class: "note" }),
  ]);
}

const clip = (label: string) => (label.length <= labelChars ? label : `${label.slice(0, labelChars - 1)}…`);
