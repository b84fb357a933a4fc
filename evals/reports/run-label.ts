/** What a run is called within a report. */
import type { ReportSummary } from "./summary.ts";

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
