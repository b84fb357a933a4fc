/** The reward and advantage tables of one context for the terminal: G × N for its chunks, G × M for its questions. */
import { number, type ReportTable, text } from "../../evals/reports/tables/report-table.ts";
import type { ContextCredit } from "../../trainers/credit/run-credit.ts";
import type { Table } from "../../trainers/rewards/table.ts";
import { advantageText, rewardText } from "./credit-lines.ts";

/** As a heading: q7 for a question named "7", and q7 for one that is named so. */
export const questionLabel = (id: string) => (id.startsWith("q") ? id : `q${id}`);

/** Stages that were not run have no tables. */
export function creditTables({ context, tables, A_mem, A_qa }: ContextCredit): ReportTable[] {
  const { grid, r_tool_mem, r_tool_qa, r_outcome, r_bar, R_mem, R_qa } = tables;
  const chunks = grid.chunks.map((k) => `m${k}`);
  const questions = grid.questions.map(questionLabel);
  const table = (
    id: string,
    title: string,
    columns: readonly string[],
    cells: Table,
    show: (value: number | null) => string,
  ) => ({
    id: `${context}-${id}`,
    title: `${context}: ${title}`,
    columns: [text("trajectory"), ...columns.map(number)],
    rows: cells.map((row, i) => ({ cells: [`t${grid.trajectories[i]}`, ...row.map(show)] })),
  });
  const beside = (column: readonly (number | null)[], cells: Table): Table =>
    cells.map((row, i) => [column[i]!, ...row]);
  return [
    ...(chunks.length === 0
      ? []
      : [
          table("r-tool-memory", "r_tool of memory sessions", chunks, r_tool_mem, rewardText),
          table(
            "R-memory",
            "R of memory sessions, with the mean outcome r̄",
            ["r̄", ...chunks],
            beside(r_bar, R_mem),
            rewardText,
          ),
          table("A-memory", "A of memory sessions", chunks, A_mem, advantageText),
        ]),
    ...(questions.length === 0
      ? []
      : [
          table("r-tool-qa", "r_tool of QA sessions", questions, r_tool_qa, rewardText),
          table("outcome", "r_outcome", questions, r_outcome, rewardText),
          table("R-qa", "R of QA sessions", questions, R_qa, rewardText),
          table("A-qa", "A of QA sessions", questions, A_qa, advantageText),
        ]),
  ];
}
