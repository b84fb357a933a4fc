/** The numbers of runs in brief: one row per run for programs, the main tables for people. */
import { percent, whole } from "../../evals/reports/format-number.ts";
import { reportRemarks } from "../../evals/reports/remarks.ts";
import { runLabel } from "../../evals/reports/run-label.ts";
import type { MetricValue, Slice } from "../../evals/reports/summary/metric-values.ts";
import type { RunSummary } from "../../evals/reports/summary/run-summary.ts";
import type { ReportSummary } from "../../evals/reports/summary.ts";
import { benchmarksOf, benchmarkTables } from "../../evals/reports/tables/result-tables.ts";
import { renderTable } from "../../evals/reports/terminal.ts";

interface MetricRow {
  readonly mean: number | null;
  readonly low: number | null;
  readonly high: number | null;
  /** Questions that have a value. */
  readonly scored: number;
}
type SliceRows = Readonly<
  Record<string, { readonly n: number; readonly metrics: Readonly<Record<string, MetricRow>> }>
>;

/** One run. Every facet of the benchmark is split by too: `byHorizon`, beside `byCategory`. */
export interface ResultRow {
  readonly folder: string;
  readonly benchmark: string;
  readonly variant: string;
  readonly policy: string;
  /** True: no model was run. */
  readonly scripted: boolean;
  readonly seed: number;
  /** Questions asked. */
  readonly n: number;
  readonly headline: string | null;
  readonly metrics: Readonly<Record<string, MetricRow>>;
  readonly byCategory: SliceRows;
  readonly toolValidity: number | null;
  readonly toolCalls: number;
  readonly sessions: number;
  readonly failed: number;
  readonly [byFacet: `by${string}`]: SliceRows;
}

export function resultRows({ runs }: ReportSummary): ResultRow[] {
  return runs.map((run) => ({
    folder: run.folder,
    benchmark: run.benchmark.name,
    variant: run.variant.name,
    policy: run.policy.name,
    scripted: run.policy.scripted,
    seed: run.seed,
    n: run.questions.distinct ?? run.questions.asked,
    headline: run.headline,
    metrics: metricRows(run.metrics),
    ...Object.fromEntries(
      Object.entries(run.facets).map(([facet, slices]) => [
        `by${facet.slice(0, 1).toUpperCase()}${facet.slice(1)}`,
        sliceRows(slices),
      ]),
    ),
    byCategory: sliceRows(run.categories),
    ...toolUseOf(run),
    ...sessionsOf(run),
  }));
}

const metricRows = (metrics: Readonly<Record<string, MetricValue>>) =>
  Object.fromEntries(
    Object.entries(metrics).map(([name, { mean, low, high, scored }]) => [name, { mean, low, high, scored }]),
  );

const sliceRows = (slices: readonly Slice[]): SliceRows =>
  Object.fromEntries(slices.map(({ value, n, metrics }) => [String(value), { n, metrics: metricRows(metrics) }]));

function toolUseOf({ stages }: RunSummary) {
  const used = [stages.memory.tools, stages.qa.tools];
  const counted = used.reduce((sum, { counted: count }) => sum + count, 0);
  const good = used.reduce((sum, { verdicts }) => sum + verdicts.valid + verdicts.repaired, 0);
  return {
    toolValidity: counted === 0 ? null : good / counted,
    toolCalls: used.reduce((sum, { calls }) => sum + calls, 0),
    countedCalls: counted,
  };
}

function sessionsOf({ stages }: RunSummary) {
  const { memory, qa } = stages;
  return { sessions: memory.sessions + qa.sessions, failed: memory.ends.error + qa.ends.error };
}

/** All questions and the split by facet; what else there is, `umagraph report` shows. */
export function mainTables(summary: ReportSummary, width: number): string {
  const remarks = reportRemarks(summary).map((remark) => `! ${remark}`);
  const tables = benchmarksOf(summary).flatMap((benchmark) =>
    benchmarkTables(summary, benchmark)
      .filter(({ id }) => id !== `${benchmark}-category`)
      .map((table) => renderTable(table, width)),
  );
  const sessions = summary.runs.map((run, index) => {
    const { toolValidity, countedCalls } = toolUseOf(run);
    const { sessions: count, failed } = sessionsOf(run);
    return `${runLabel(summary, index)}: tool validity ${percent(toolValidity)} (of ${whole(countedCalls)} calls that count), ${whole(failed)} of ${whole(count)} sessions failed`;
  });
  return [...(remarks.length > 0 ? [remarks.join("\n")] : []), ...tables, sessions.join("\n")].join("\n\n");
}
