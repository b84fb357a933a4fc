/** Makes the report of a training folder, at any time: also while the run goes on. */
import { writeWhole } from "../../evals/run-folder.ts";
import { trainingFiles } from "../run/training-folder.ts";
import { trainingPage } from "./html/training-page.ts";
import { metricsCsv } from "./metrics-csv.ts";
import { readTraining } from "./read-training.ts";
import { sampleQuestions } from "./sample-sessions.ts";
import { type SummariseOptions, summariseTraining, type TrainingSummary } from "./training-summary.ts";

export interface TrainingReportOptions extends SummariseOptions {
  /** Where the page goes; report.html in the folder by default, nowhere for null. */
  readonly html?: string | null;
  /** Where the numbers go as CSV; nowhere by default. */
  readonly csv?: string;
}

export interface WrittenTrainingReport {
  readonly summary: TrainingSummary;
  readonly written: readonly string[];
}

/** Throws `input` for what is no training folder, `store` when a file cannot be written. Files appear whole or not at all. */
export function writeTrainingReport(
  folder: string,
  { html, csv, halted }: TrainingReportOptions = {},
): WrittenTrainingReport {
  const log = readTraining(folder);
  const summary = summariseTraining(log, halted ? { halted } : {});
  const written: string[] = [];
  const write = (path: string, text: string) => {
    writeWhole(path, text);
    written.push(path);
  };
  if (csv !== undefined) write(csv, metricsCsv(log));
  if (html !== null) write(html ?? trainingFiles.report(folder), trainingPage(log, summary, sampleQuestions(log)));
  return { summary, written };
}
