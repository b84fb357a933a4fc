/** The tables of scores: the shape of the paper's Table 1 (a row per method), split by benchmark, facet and category. */
import { probability, signedPercent, whole } from "../format-number.ts";
import { compareValues, type MetricValue, type Slices } from "../summary/metric-values.ts";
import type { GroupSummary, ReportSummary } from "../summary.ts";
import { markBest, number, type ReportTable, text } from "./report-table.ts";

export function scoreNote({ runs }: Pick<ReportSummary, "runs">): string {
  const note =
    "Scores are × 100 with a 95 % interval, bootstrapped over whole contexts, and the scored of all asked questions.";
  return runs.some(({ questions }) => questions.distinct !== undefined)
    ? `${note} Answers of several trajectories to one question count as their mean: 126/128 over 32 is 126 of 128 answers scored, over 32 questions.`
    : note;
}

export const resultTables = (summary: ReportSummary): ReportTable[] => [
  ...acrossBenchmarks(summary),
  ...benchmarksOf(summary).flatMap((benchmark) => benchmarkTables(summary, benchmark)),
  ...differenceTable(summary),
];

export const benchmarksOf = ({ groups }: ReportSummary) => distinct(groups.map(({ benchmark }) => benchmark));

/** One group of a row, with the runs that it pools when there are several. */
interface ScoredRow extends Slices {
  readonly label: string;
  readonly headline: string | null;
  readonly part: boolean;
  readonly n: number;
}

function rowsOf(summary: ReportSummary, groups: readonly GroupSummary[]): ScoredRow[] {
  return groups.flatMap((group) => {
    const whole: ScoredRow = {
      ...group,
      label: group.runs.length > 1 ? `${group.label} · ${describeSeeds(group)}` : group.label,
      part: false,
      n: group.questions.distinct ?? group.questions.asked,
    };
    if (group.seeds.length < 2) return [whole];
    const parts = group.runs.map((index): ScoredRow => {
      const run = summary.runs[index]!;
      return { ...run, label: `seed ${run.seed}`, part: true, n: run.questions.distinct ?? run.questions.asked };
    });
    return [whole, ...parts];
  });
}

export const describeSeeds = ({ seeds, runs }: GroupSummary) =>
  seeds.length > 1 ? `seeds ${seeds.join(", ")}` : `${runs.length} runs`;

/** All metrics, then the headline metric by each facet (Fig. 4) and by category; a split into one part is left out. */
export function benchmarkTables(summary: ReportSummary, benchmark: string): ReportTable[] {
  const groups = summary.groups.filter((group) => group.benchmark === benchmark);
  const rows = rowsOf(summary, groups);
  const headline = groups.find((group) => group.headline !== null)?.headline ?? null;
  const metrics = distinct(rows.flatMap((row) => Object.keys(row.metrics)));
  const facets = distinct(rows.flatMap((row) => Object.keys(row.facets)));
  const table = (
    id: string,
    title: string,
    labels: readonly string[],
    scores: (row: ScoredRow) => (MetricValue | null)[],
  ) => {
    const cells = markBest(rows.map((row) => ({ scores: scores(row), part: row.part })));
    return {
      id: `${benchmark}-${id}`,
      title: `${benchmark}: ${title}`,
      columns: [text("run"), ...labels.map(number)],
      rows: rows.map((row, i) => ({ cells: [row.label, ...cells[i]!], part: row.part })),
    };
  };
  const tables: ReportTable[] = [
    {
      ...table("metrics", "all questions", metrics, (row) =>
        metrics.map((name) => row.metrics[name] ?? nothingScored(row.n)),
      ),
      note: metrics.length === 0 ? "Nothing is scored yet." : scoreNote(summary),
    },
  ];
  if (headline === null) return tables;

  const split = (id: string, title: string, slicesOf: (row: ScoredRow) => Slices["categories"]) => {
    const values = distinct(rows.flatMap((row) => slicesOf(row).map(({ value }) => value))).sort(compareValues);
    if (values.length < 2) return;
    tables.push(
      table(id, title, values.map(String), (row) =>
        values.map((value) => {
          const slice = slicesOf(row).find((candidate) => candidate.value === value);
          return slice ? (slice.metrics[headline] ?? nothingScored(slice.n)) : null;
        }),
      ),
    );
  };
  for (const facet of facets) split(facet, `${headline} by ${facet}`, (row) => row.facets[facet] ?? []);
  split("category", `${headline} by category`, (row) => row.categories);
  return tables;
}

/** Rows are methods, columns benchmarks; the average is over benchmarks and only where a row has all of them. */
export function acrossBenchmarks(summary: ReportSummary): ReportTable[] {
  const benchmarks = benchmarksOf(summary);
  if (benchmarks.length < 2) return [];
  const labels = distinct(summary.groups.map(({ label }) => label));
  const rows = labels.map((label) => {
    const scores = benchmarks.map((benchmark) => {
      const group = summary.groups.find((candidate) => candidate.label === label && candidate.benchmark === benchmark);
      if (!group) return null;
      return (
        (group.headline === null ? undefined : group.metrics[group.headline]) ??
        nothingScored(group.questions.distinct ?? group.questions.asked)
      );
    });
    return { label, scores, part: false };
  });
  const cells = markBest(rows);
  const average = (scores: readonly (MetricValue | null)[]) => {
    const means = scores.flatMap((score) => score?.mean ?? []);
    return means.length === benchmarks.length ? means.reduce((sum, mean) => sum + mean, 0) / means.length : null;
  };
  const headlineOf = (benchmark: string) =>
    summary.groups.find((group) => group.benchmark === benchmark && group.headline !== null)?.headline;
  const table: ReportTable = {
    id: "benchmarks",
    title: "All benchmarks (Table 1 shape)",
    note: "Each benchmark by its headline metric; the average is the plain mean over benchmarks.",
    columns: [
      text("run"),
      ...benchmarks.map((benchmark) => number(`${benchmark} ${headlineOf(benchmark) ?? ""}`.trim())),
      number("average"),
    ],
    rows: rows.map(({ label, scores }, i) => {
      const mean = average(scores);
      return { cells: [label, ...cells[i]!, mean === null ? "–" : (mean * 100).toFixed(1)] };
    }),
  };
  return [table];
}

export function differenceTable({ differences }: ReportSummary): ReportTable[] {
  if (differences.length === 0) return [];
  const table: ReportTable = {
    id: "differences",
    title: "Paired differences",
    note: "On the questions that both have a score for; a positive difference favours the first. p by a sign-flip test over contexts.",
    columns: [
      text("first"),
      text("second"),
      text("metric"),
      number("difference"),
      number("95 % interval"),
      number("better / worse / equal"),
      number("questions"),
      number("contexts"),
      number("p"),
    ],
    rows: differences.map((difference) => {
      const { first, second, benchmark, metric, mean, low, high, wins, losses, ties, n, clusters, p } = difference;
      return {
        cells: [
          first,
          second,
          `${benchmark} ${metric}`,
          signedPercent(mean),
          low === null ? "–" : `[${signedPercent(low)}, ${signedPercent(high)}]`,
          `${whole(wins)} / ${whole(losses)} / ${whole(ties)}`,
          whole(n),
          whole(clusters),
          probability(p),
        ],
      };
    }),
  };
  return [table];
}

const distinct = <T>(items: readonly T[]) => [...new Set(items)];

const nothingScored = (n: number): MetricValue => ({
  mean: null,
  low: null,
  high: null,
  scored: 0,
  n,
  clusters: 0,
  reason: "nothing was scored",
});
