/** An ablation as Markdown: one row a cell, and a sentence that says what can be concluded, or that nothing can. */
import type { AblationSummary, CellResult } from "./summarise-ablation.ts";

export function ablationTable(summary: AblationSummary): string {
  const { cells, missing, choosing } = summary;
  const rows = cells.map((cell) =>
    [
      `**${cell.cell}**: ${cell.summary}`,
      `${cell.seeds.length}`,
      tokens(cell),
      estimate(cell.before),
      estimate(cell.after),
      cell.seeds.map(({ seed, after }) => `${seed}: ${points(after)}`).join(", ") || "–",
      cell.difference === null ? "–" : difference(cell.difference),
      points(cell.validity),
    ].join(" | "),
  );
  return [
    `Held-out outcome × 100, tokens ${choosing === "greedy" ? "the most probable ones" : "drawn at temperature 1"}; 95 % intervals clustered by context, seeds pooled.`,
    "",
    "| cell | seeds | tokens sampled | before | after | after, by seed | minus the first cell | valid calls |",
    "|---|---|---|---|---|---|---|---|",
    ...rows.map((row) => `| ${row} |`),
    "",
    conclusion(cells),
    ...(missing.length === 0
      ? []
      : [
          "",
          `Not run, or not evaluated twice yet: ${missing.map(({ cell, seed }) => `${cell} (seed ${seed})`).join(", ")}.`,
        ]),
    "",
  ].join("\n");
}

/** A difference counts when its interval leaves out 0 and every seed that both have has its sign. */
function conclusion(cells: readonly CellResult[]): string {
  const [first, ...others] = cells;
  const compared = others.filter(({ difference }) => difference !== null && difference.n > 0);
  if (!first || compared.length === 0) return "Nothing is compared yet.";
  const clear = compared.filter((cell) => isClear(cell, first));
  if (clear.length === 0)
    return `No cell differs from ${first.cell} by more than its interval and in every seed: from these runs nothing can be concluded about their order.`;
  const sentences = clear.map(({ cell, difference }) => {
    const by = Math.abs(difference!.mean!) * 100;
    return `${cell} ends ${by.toFixed(1)} points ${difference!.mean! > 0 ? "above" : "below"} ${first.cell}`;
  });
  return `${sentences.join("; ")}: in every seed, and by more than the interval. The other differences are within what contexts and seeds make.`;
}

function isClear({ difference, seeds }: CellResult, first: CellResult): boolean {
  const { mean, low, high } = difference!;
  if (mean === null || low === null || high === null || low <= 0 === high >= 0) return false;
  const signs = seeds.flatMap(({ seed, after }) => {
    const other = first.seeds.find((result) => result.seed === seed)?.after ?? null;
    return after === null || other === null ? [] : [Math.sign(after - other)];
  });
  return signs.length >= 3 && signs.every((sign) => sign === Math.sign(mean));
}

interface Interval {
  readonly mean: number | null;
  readonly low: number | null;
  readonly high: number | null;
}

const points = (value: number | null) => (value === null ? "–" : (value * 100).toFixed(1));
const estimate = ({ mean, low, high }: Interval) =>
  low === null || high === null ? points(mean) : `${points(mean)} [${points(low)}, ${points(high)}]`;
const signed = (value: number | null) => (value === null ? "–" : `${value > 0 ? "+" : ""}${(value * 100).toFixed(1)}`);
const difference = ({ mean, low, high }: Interval) =>
  low === null || high === null ? signed(mean) : `${signed(mean)} [${signed(low)}, ${signed(high)}]`;

function tokens({ seeds }: CellResult): string {
  if (seeds.length === 0) return "–";
  const thousands = seeds.map(({ sampledTokens }) => Math.round(sampledTokens / 1_000));
  const [least, most] = [Math.min(...thousands), Math.max(...thousands)];
  return `${least === most ? least : `${least}–${most}`} k`;
}
