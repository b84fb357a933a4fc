/** What the memory had become, and where answers were looked up. */
import { absent, shareOf, whole } from "../format-number.ts";
import type { LabelledRun } from "../run-label.ts";
import { number, type ReportTable, text } from "./report-table.ts";

export function bankTable(runs: readonly LabelledRun[]): ReportTable {
  return {
    id: "banks",
    title: "Memory at the end of the stream",
    note: "Per context: mean (smallest to largest).",
    columns: [
      text("run"),
      number("memories"),
      number("chunks read"),
      number("entries"),
      number("characters"),
      number("core characters"),
      number("added / updated / deleted"),
      number("updates of all adds and updates"),
    ],
    rows: runs.map(({ run: { banks: grown }, label }) => {
      if (grown.length === 0) return { cells: [label, ...Array<string>(7).fill(absent)] };
      const writes = (op: "add" | "update" | "delete") => grown.reduce((sum, bank) => sum + bank.writes[op], 0);
      return {
        cells: [
          label,
          whole(grown.length),
          whole(grown.reduce((sum, { chunks }) => sum + chunks, 0)),
          range(grown.map(({ entries }) => entries)),
          range(grown.map(({ characters }) => characters)),
          range(grown.map(({ coreCharacters }) => coreCharacters)),
          `${whole(writes("add"))} / ${whole(writes("update"))} / ${whole(writes("delete"))}`,
          shareOf(writes("update"), writes("add") + writes("update")),
        ],
      };
    }),
  };
}

export function evidenceTable(runs: readonly LabelledRun[]): ReportTable {
  return {
    id: "evidence",
    title: "Where answers were looked up",
    note: "Share × 100 of the QA sessions that did not fail, by what their calls read or the variant gave them. Listing titles reads no entry.",
    columns: [
      text("run"),
      number("sessions"),
      number("bank only"),
      number("raw context only"),
      number("both"),
      number("neither"),
    ],
    rows: runs.map(({ run: { evidence: use }, label }) => ({
      cells:
        use === null
          ? [label, ...Array<string>(5).fill(absent)]
          : [
              label,
              whole(use.sessions),
              ...[use.bankOnly, use.rawOnly, use.both, use.neither].map((count) => shareOf(count, use.sessions)),
            ],
    })),
  };
}

function range(values: readonly number[]): string {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const shown = mean < 10 && !Number.isInteger(mean) ? mean.toFixed(1) : whole(mean);
  return low === high ? shown : `${shown} (${whole(low)} to ${whole(high)})`;
}
