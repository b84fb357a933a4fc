/** What has to be said before the numbers: that no model was run, what is missing, what is mixed. Equal remarks once. */

import { runLabel } from "./run-label.ts";
import type { ReportSummary } from "./summary.ts";

export function reportRemarks(summary: ReportSummary): string[] {
  const runsOf = new Map<string, number[]>();
  summary.runs.forEach((run, index) => {
    for (const remark of run.remarks) runsOf.set(remark, [...(runsOf.get(remark) ?? []), index]);
  });
  return [...runsOf].map(([remark, runs]) =>
    runs.length === summary.runs.length
      ? remark
      : `${runs.map((index) => runLabel(summary, index)).join("; ")}: ${remark}`,
  );
}
