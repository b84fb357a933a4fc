/** A training run in the terminal: facts, warnings, evaluations, the habits that are not clean at both ends. */
import { printable } from "../../evals/reports/display-width.ts";
import { renderTable } from "../../evals/reports/terminal.ts";
import { cleanHabits, evaluationTable, gainTable, habitTable, trainingFacts } from "./tables.ts";
import type { TrainingSummary } from "./training-summary.ts";

export function renderTraining(summary: TrainingSummary, { width = 100 }: { readonly width?: number } = {}): string {
  const { halted, warnings } = summary;
  const remarks = [
    ...(halted === null ? [] : [`! halted by ${halted.reason}: ${halted.sentence}`]),
    ...warnings.map(({ update, sentence }) => `! update ${update}: ${sentence}`),
  ];
  const clean = cleanHabits(summary).length;
  return `${[
    trainingFacts(summary)
      .map(([name, value]) => `${name.padEnd(10)}${printable(value)}`)
      .join("\n"),
    ...(remarks.length === 0 ? [] : [remarks.map(printable).join("\n")]),
    ...(summary.evaluations.length === 0 ? [] : [renderTable(evaluationTable(summary), width)]),
    ...gainTable(summary).map((table) => renderTable(table, width)),
    ...(summary.first === null ? [] : [renderTable(habitTable(summary, { clean: false }), width)]),
    ...(clean === 0
      ? []
      : [
          `${clean} more ${clean === 1 ? "habit is" : "habits are"} clean${summary.first === summary.last ? "" : " before and after"}.`,
        ]),
  ].join("\n\n")}\n`;
}
