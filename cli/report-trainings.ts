/** Reports training runs: a page in each folder, tables in the terminal, numbers as CSV. */
import { UmaError } from "../base/errors.ts";
import { lastState } from "../trainers/graph/checkpoints.ts";
import type { TrainingSummary } from "../trainers/report/training-summary.ts";
import { renderTraining } from "../trainers/report/training-terminal.ts";
import { writeTrainingReport } from "../trainers/report/write-training-report.ts";
import { trainingFiles } from "../trainers/run/training-folder.ts";
import type { Terminal } from "./terminal.ts";

export interface ReportTrainingsOptions {
  /** One folder only. */
  readonly html?: string | undefined;
  readonly csv?: string | undefined;
  readonly terminal: Terminal;
}

export async function reportTrainings(
  folders: readonly string[],
  { html, csv, terminal }: ReportTrainingsOptions,
): Promise<number> {
  if (folders.length > 1 && (html !== undefined || csv !== undefined))
    throw new UmaError("config", `--html and --csv name one file, got ${folders.length} training runs`, {
      fix: "report them one by one, or leave the flags out: each folder then gets its report.html",
    });
  const reports: { folder: string; html: string; csv: string | null; summary: TrainingSummary }[] = [];
  for (const folder of folders) {
    const page = html ?? trainingFiles.report(folder);
    const halted = await haltOf(folder);
    const { summary } = writeTrainingReport(folder, { html: page, halted, ...(csv !== undefined && { csv }) });
    terminal.print(renderTraining(summary, { width: terminal.columns }));
    terminal.print(`report: ${page}`);
    if (csv !== undefined) terminal.print(`numbers: ${csv}`);
    reports.push({ folder, html: page, csv: csv ?? null, summary });
  }
  terminal.result(reports.length === 1 ? reports[0] : reports);
  return 0;
}

/** A state that cannot be read hides no report; going on with such a run says what is wrong. */
async function haltOf(folder: string): Promise<TrainingSummary["halted"]> {
  try {
    return (await lastState(folder))?.halted ?? null;
  } catch (thrown) {
    if (thrown instanceof UmaError) return null;
    throw thrown;
  }
}
