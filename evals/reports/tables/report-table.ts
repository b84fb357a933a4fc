/** A table as data: the terminal, Markdown and HTML renderers each draw the same ones. */
import { absent } from "../format-number.ts";
import type { MetricValue } from "../summary/metric-values.ts";

/** A score with its interval and how many questions it is over. `best`: the highest of its column. */
export interface ScoreCell {
  readonly score: MetricValue;
  readonly best: boolean;
}

export type Cell = string | ScoreCell;

export interface Column {
  readonly label: string;
  /** Numbers stand at the right. */
  readonly align: "left" | "right";
}

export interface Row {
  readonly cells: readonly Cell[];
  /** One of several runs that the row above pools. */
  readonly part?: boolean;
}

export interface ReportTable {
  /** Unique within a report; an anchor in the HTML file. */
  readonly id: string;
  readonly title: string;
  readonly note?: string;
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
}

export const text = (label: string): Column => ({ label, align: "left" });
export const number = (label: string): Column => ({ label, align: "right" });

/** Lets the highest mean of each column stand out, where there is something to compare. Parts do not compete with wholes. */
export function markBest(
  rows: readonly { readonly scores: readonly (MetricValue | null)[]; readonly part: boolean }[],
) {
  const best = (column: number) => {
    const means = rows.flatMap(({ scores, part }) => (part ? [] : (scores[column]?.mean ?? [])));
    return means.length < 2 ? null : Math.max(...means);
  };
  const highest = (rows[0]?.scores ?? []).map((_, column) => best(column));
  return rows.map(({ scores, part }) =>
    scores.map(
      (score, column): Cell =>
        score === null ? absent : { score, best: !part && score.mean !== null && score.mean === highest[column] },
    ),
  );
}
