/** SVG as text: elements, the marks that tell series apart without colour, and axis ticks. */
import { escapeHtml } from "../html/escape-html.ts";

type Attributes = Readonly<Record<string, string | number>>;

/** Children are markup; texts go through `svgText` or `svgTextContent`. */
export function svgElement(name: string, attributes: Attributes, children: readonly string[] = []): string {
  const written = Object.entries(attributes).map(
    ([key, value]) => ` ${key}="${escapeHtml(typeof value === "number" ? round(value) : value)}"`,
  );
  return `<${name}${written.join("")}>${children.join("")}</${name}>`;
}

/** A text as markup, for elements such as `title`. */
export const svgTextContent = escapeHtml;

export const svgText = (x: number, y: number, text: string, attributes: Attributes = {}) =>
  svgElement("text", { x, y, ...attributes }, [svgTextContent(text)]);

export const svgLine = (x1: number, y1: number, x2: number, y2: number, className: string) =>
  svgElement("line", { x1, y1, x2, y2, class: className });

const round = (value: number) => String(Math.round(value * 100) / 100);

/** The page's style knows so many colours; more series start again, with another mark. */
const seriesColours = 8;
export const seriesClass = (index: number) => `series-${index % seriesColours}`;

/** A mark of radius r around a point. Eight colours and five shapes give forty series before one repeats. */
export function seriesMark(index: number, x: number, y: number, r = 4.5): string {
  const at = (points: readonly (readonly [number, number])[]) =>
    points.map(([dx, dy]) => `${round(x + dx * r)},${round(y + dy * r)}`).join(" ");
  const shapes = [
    () => svgElement("circle", { cx: x, cy: y, r }),
    () => svgElement("rect", { x: x - r * 0.9, y: y - r * 0.9, width: r * 1.8, height: r * 1.8 }),
    () =>
      svgElement("polygon", {
        points: at([
          [0, -1.2],
          [1.1, 0.8],
          [-1.1, 0.8],
        ]),
      }),
    () =>
      svgElement("polygon", {
        points: at([
          [0, -1.3],
          [1.3, 0],
          [0, 1.3],
          [-1.3, 0],
        ]),
      }),
    () =>
      svgElement("polygon", {
        points: at([
          [0, 1.2],
          [1.1, -0.8],
          [-1.1, -0.8],
        ]),
      }),
  ];
  return shapes[index % shapes.length]!();
}

/** Round numbers from 0 to at least `max`, about `count` of them. */
export function niceTicks(max: number, count = 5): number[] {
  if (!(max > 0)) return [0, 1];
  const raw = max / count;
  const magnitude = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * magnitude).find((candidate) => candidate >= raw)!;
  return Array.from({ length: Math.ceil(max / step - 1e-9) + 1 }, (_, i) => i * step);
}
