/** An ablation as one picture that needs no page around it: a row a cell, its interval, and a small mark for each seed. */
import { niceTicks, svgElement, svgLine, svgText, svgTextContent } from "../../evals/reports/charts/svg.ts";
import type { AblationSummary } from "./summarise-ablation.ts";

const style = [
  "text { font: 12px system-ui, sans-serif; fill: #333 }",
  ".tick { fill: #777; font-size: 11px }",
  ".grid { stroke: #ddd } .axis { stroke: #999 }",
  ".whisker { stroke: #1f6f8b; stroke-width: 2 }",
  ".mean { fill: #1f6f8b } .seed { fill: none; stroke: #1f6f8b } .before { fill: #bbb }",
].join("\n");

const width = 680;
const left = 150;
const right = width - 30;
const rowHeight = 34;

export function ablationFigure({ cells, choosing }: AblationSummary): string {
  const values = cells.flatMap(({ before, after, seeds }) => [
    ...[before.high ?? before.mean ?? 0, after.high ?? after.mean ?? 0],
    ...seeds.map((seed) => seed.after ?? 0),
  ]);
  const ticks = niceTicks(Math.max(0, ...values), 5);
  const x = (value: number) => left + (value / ticks.at(-1)!) * (right - left);
  const bottom = 10 + cells.length * rowHeight;
  const label = `Held-out outcome × 100 after training, tokens ${choosing === "greedy" ? "the most probable" : "drawn at temperature 1"}`;
  const rows = cells.flatMap(({ cell, before, after, seeds }, row) => {
    const y = 10 + (row + 0.5) * rowHeight;
    const mark = (value: number | null, radius: number, className: string, tip: string) =>
      value === null
        ? []
        : [
            svgElement("circle", { cx: x(value), cy: y, r: radius, class: className }, [
              svgElement("title", {}, [svgTextContent(`${tip}: ${(value * 100).toFixed(1)}`)]),
            ]),
          ];
    return [
      svgText(left - 10, y + 4, cell, { "text-anchor": "end" }),
      ...(after.low === null || after.high === null ? [] : [svgLine(x(after.low), y, x(after.high), y, "whisker")]),
      ...mark(before.mean, 3.5, "before", `${cell}, before`),
      ...seeds.flatMap((seed) => mark(seed.after, 3, "seed", `${cell}, seed ${seed.seed}`)),
      ...mark(after.mean, 5, "mean", cell),
    ];
  });
  const axis = ticks.flatMap((tick) => [
    svgLine(x(tick), 4, x(tick), bottom, tick === 0 ? "axis" : "grid"),
    svgText(x(tick), bottom + 16, String(Math.round(tick * 1_000) / 10), { class: "tick", "text-anchor": "middle" }),
  ]);
  const legend = svgText(left, bottom + 36, `${label}. Grey: before. Circles: single seeds.`, { class: "tick" });
  return svgElement(
    "svg",
    {
      xmlns: "http://www.w3.org/2000/svg",
      viewBox: `0 0 ${width} ${bottom + 46}`,
      role: "img",
      "aria-label": label,
    },
    [svgElement("style", {}, [style]), ...axis, ...rows, legend],
  );
}
