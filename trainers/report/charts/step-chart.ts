/** Lines over updates, with a band where there is an interval and marks where there are few points. */
import {
  niceTicks,
  seriesClass,
  seriesMark,
  svgElement,
  svgLine,
  svgText,
  svgTextContent,
} from "../../../evals/reports/charts/svg.ts";

export interface StepPoint {
  readonly x: number;
  /** Null leaves a gap. */
  readonly y: number | null;
  readonly low?: number | null;
  readonly high?: number | null;
}

export interface StepSeries {
  readonly label: string;
  readonly points: readonly StepPoint[];
  /** Which colour and mark; by default the series' place. */
  readonly look?: number;
  /** A thin line without marks: what is measured at every update, beside what is measured now and then. */
  readonly thin?: boolean;
}

export interface StepChartOptions {
  readonly label: string;
  readonly format: (value: number) => string;
  /** End of the axis; by default the largest value, rounded up. */
  readonly max?: number;
  readonly width?: number;
  readonly height?: number;
  /** End of the x axis; by default the last point. */
  readonly last?: number;
}

const mostMarks = 60;

export function stepChart(series: readonly StepSeries[], options: StepChartOptions): string {
  const { width = 620, height = 240, label, format } = options;
  const points = series.flatMap((one) => one.points);
  const values = points.flatMap(({ y, high }) => [y ?? 0, high ?? 0]);
  const ticks = niceTicks(options.max ?? Math.max(0, ...values), height < 180 ? 2 : 4).filter(
    (tick) => options.max === undefined || tick <= options.max + 1e-9,
  );
  const max = options.max ?? ticks.at(-1)!;
  const last = Math.max(1, options.last ?? 0, ...points.map(({ x }) => x));
  // "25", not "25.0"
  const named = (tick: number) => format(tick).replace(/\.0+$/, "");
  const tickRoom = Math.max(...ticks.map((tick) => named(tick).length)) * 7 + 12;
  const plot = { left: tickRoom, right: width - 12, top: 10, bottom: height - 26 };
  const place = {
    x: (x: number) => plot.left + (x / last) * (plot.right - plot.left),
    y: (y: number) => plot.bottom - (Math.min(Math.max(y, 0), max) / max) * (plot.bottom - plot.top),
  };
  const grid = ticks.flatMap((tick) => [
    svgLine(plot.left, place.y(tick), plot.right, place.y(tick), tick === 0 ? "axis" : "grid"),
    svgText(plot.left - 6, place.y(tick) + 4, named(tick), { class: "tick", "text-anchor": "end" }),
  ]);
  const steps = stepTicks(last, width < 400 ? 3 : 8).map((x) =>
    svgText(place.x(x), plot.bottom + 17, String(x), { class: "tick", "text-anchor": "middle" }),
  );
  return svgElement("svg", { viewBox: `0 0 ${width} ${height}`, class: "chart", role: "img", "aria-label": label }, [
    ...grid,
    ...steps,
    ...series.map((one, index) => drawSeries(one, one.look ?? index, place, format)),
  ]);
}

/** Whole updates from 0 on, at most about `count`, the last one always. */
function stepTicks(last: number, count: number): number[] {
  const step = Math.max(1, Math.ceil(niceTicks(last, count)[1]!));
  const ticks = Array.from({ length: Math.floor(last / step) + 1 }, (_, i) => i * step);
  if (last - ticks.at(-1)! > step / 2) ticks.push(last);
  else ticks[ticks.length - 1] = last;
  return ticks;
}

interface Place {
  readonly x: (x: number) => number;
  readonly y: (y: number) => number;
}

function drawSeries(
  { label, points, thin = false }: StepSeries,
  look: number,
  place: Place,
  format: StepChartOptions["format"],
): string {
  const sorted = [...points].sort((a, b) => a.x - b.x);
  const marks = thin || sorted.length > mostMarks ? [] : sorted;
  return svgElement("g", { class: `series ${seriesClass(look)}${thin ? " thin" : ""}` }, [
    ...runsOf(sorted, ({ low, high }) => typeof low === "number" && typeof high === "number").map((run) =>
      svgElement("path", { d: bandPath(run, place), class: "band" }),
    ),
    ...runsOf(sorted, ({ y }) => y !== null).map((run) =>
      run.length > 1
        ? svgElement("path", { d: linePath(run.map(({ x, y }) => [place.x(x), place.y(y!)])), class: "curve" })
        : // a line of one point would not be seen
          svgElement("circle", { cx: place.x(run[0]!.x), cy: place.y(run[0]!.y!), r: 1.8, class: "alone" }),
    ),
    ...marks.flatMap(({ x, y, low, high }) =>
      y === null
        ? []
        : [
            svgElement("g", { class: "mark" }, [
              svgElement("title", {}, [
                svgTextContent(
                  `${label}, update ${x}: ${format(y)}${typeof low === "number" && typeof high === "number" ? ` [${format(low)}, ${format(high)}]` : ""}`,
                ),
              ]),
              seriesMark(look, place.x(x), place.y(y), 3.5),
            ]),
          ],
    ),
  ]);
}

/** Neighbours that all have it; a line is not drawn over what was not measured. */
function runsOf(points: readonly StepPoint[], has: (point: StepPoint) => boolean): StepPoint[][] {
  const runs: StepPoint[][] = [[]];
  for (const point of points) {
    if (has(point)) runs.at(-1)!.push(point);
    else runs.push([]);
  }
  return runs.filter((run) => run.length > 0);
}

const linePath = (places: readonly (readonly [number, number])[]) =>
  places.map(([x, y], i) => `${i === 0 ? "M" : "L"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");

function bandPath(run: readonly StepPoint[], { x, y }: Place): string {
  const edge = (of: (point: StepPoint) => number) => run.map((point) => [x(point.x), y(of(point))] as const);
  return `${linePath([...edge(({ high }) => high!), ...edge(({ low }) => low!).reverse()])}Z`;
}
