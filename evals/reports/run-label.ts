/** What a run is called within a report. */
import type { RunSummary } from "./summary/run-summary.ts";
import type { ReportSummary } from "./summary.ts";

export interface LabelledRun {
  readonly run: RunSummary;
  readonly label: string;
}

export const labelledRuns = (summary: ReportSummary): LabelledRun[] =>
  summary.runs.map((run, index) => ({ run, label: runLabel(summary, index) }));

/** The row's label, with what tells the run apart from others in its row. */
export function runLabel({ runs, groups }: ReportSummary, index: number): string {
  const group = groups.find((candidate) => candidate.runs.includes(index))!;
  const run = runs[index]!;
  const label =
    new Set(groups.map(({ benchmark }) => benchmark)).size > 1 ? `${group.benchmark} · ${group.label}` : group.label;
  if (group.runs.length === 1) return label;
  const alike = group.runs.filter((other) => runs[other]!.seed === run.seed);
  return `${label} · seed ${run.seed}${alike.length > 1 ? ` · ${run.folder}` : ""}`;
}
