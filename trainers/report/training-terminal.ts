/** A training run in the terminal: facts, evaluations, habits that have changed. */
import { printable } from "../../evals/reports/display-width.ts";
import { renderTable } from "../../evals/reports/terminal.ts";
import { evaluationTable, gainTable, habitTable, trainingFacts } from "./tables.ts";
import type { TrainingSummary } from "./training-summary.ts";

export function renderTraining(summary: TrainingSummary, { width = 100 }: { readonly width?: number } = {}): string {
  const facts = trainingFacts(summary).map(([name, value]) => `${name.padEnd(10)}${printable(value)}`);
  const tables = [
    ...(summary.evaluations.length === 0 ? [] : [evaluationTable(summary)]),
    ...gainTable(summary),
    ...(summary.first === null ? [] : [habitTable(summary)]),
  ];
  const warnings = summary.warnings.map(({ update, sentence }) => printable(`! update ${update}: ${sentence}`));
  return `${[facts.join("\n"), ...(warnings.length > 0 ? [warnings.join("\n")] : []), ...tables.map((table) => renderTable(table, width))].join("\n\n")}\n`;
}
