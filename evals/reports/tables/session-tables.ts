/** How sessions ended, what failed, which cores were kept, and how tool calls went. */
import { absent, fraction, shareOf, whole } from "../format-number.ts";
import type { LabelledRun } from "../run-label.ts";
import type { RunSummary } from "../summary/run-summary.ts";
import { number, type ReportTable, text } from "./report-table.ts";

const stageNames = { memory: "building", qa: "answering" } as const;
const stages = ["memory", "qa"] as const;
/** Methods that read nothing in advance have no memory sessions. */
const stagesOf = (run: RunSummary) => stages.filter((stage) => run.stages[stage].sessions > 0);

export function sessionTable(runs: readonly LabelledRun[]): ReportTable {
  const ends = ["text", "budget", "turns", "error", "cancelled"] as const;
  return {
    id: "sessions",
    title: "How sessions ended",
    columns: [text("run"), text("stage"), number("sessions"), ...ends.map(number), number("cores committed")],
    rows: runs.flatMap(({ run, label }) =>
      stagesOf(run).map((stage) => {
        const { sessions, ends: counts } = run.stages[stage];
        const cores = stage === "memory" ? run.cores : null;
        return {
          cells: [
            label,
            stageNames[stage],
            whole(sessions),
            ...ends.map((end) => whole(counts[end])),
            cores === null ? absent : fraction(cores.committed, sessions),
          ],
        };
      }),
    ),
  };
}

/** Empty when nothing failed. */
export function errorTable(runs: readonly LabelledRun[]): ReportTable[] {
  const errors = runs.flatMap(({ run, label }) =>
    stages.flatMap((stage) => run.stages[stage].errors.map((error) => ({ label, stage, ...error }))),
  );
  if (errors.length === 0) return [];
  const table: ReportTable = {
    id: "errors",
    title: "Errors",
    columns: [text("run"), text("stage"), text("where"), text("code"), number("sessions"), text("first message")],
    rows: errors.map(({ label, stage, boundary, code, count, message }) => ({
      cells: [label, stageNames[stage], boundary, code, whole(count), clip(message, 160)],
    })),
  };
  return [table];
}

/** Empty when every core was committed. */
export function keptCoreTable(runs: readonly LabelledRun[]): ReportTable[] {
  const kept = runs.flatMap(({ run, label }) => (run.cores?.kept ?? []).map((reason) => ({ label, ...reason })));
  if (kept.length === 0) return [];
  const table: ReportTable = {
    id: "kept-cores",
    title: "Cores that were kept",
    note: "The session's text was refused or missing, so the core before it stayed.",
    columns: [text("run"), text("why"), number("sessions"), text("first session")],
    rows: kept.map(({ label, reason, count, sessions }) => ({
      cells: [label, reason, whole(count), sessions[0] ?? absent],
    })),
  };
  return [table];
}

export function toolTable(runs: readonly LabelledRun[]): ReportTable {
  const verdicts = ["valid", "repaired", "miss", "invalid", "refused"] as const;
  return {
    id: "tools",
    title: "Tool calls",
    note: "Validity = (valid + repaired) / (all − misses): a miss, a title that is not there or is taken, counts in neither.",
    columns: [text("run"), text("stage"), number("calls"), ...verdicts.map(number), number("validity × 100")],
    rows: runs.flatMap(({ run, label }) =>
      stagesOf(run).map((stage) => {
        const { tools } = run.stages[stage];
        return {
          cells: [
            label,
            stageNames[stage],
            whole(tools.calls),
            ...verdicts.map((verdict) => whole(tools.verdicts[verdict])),
            shareOf(tools.verdicts.valid + tools.verdicts.repaired, tools.counted),
          ],
        };
      }),
    ),
  };
}

function clip(message: string, length: number): string {
  const line = message.replace(/\s+/g, " ").trim();
  return line.length <= length ? line : `${line.slice(0, length).replace(/[\uD800-\uDBFF]$/, "")}…`;
}
