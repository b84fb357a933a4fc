/** What building and answering took, apart. */
import { absent, duration, fraction, whole } from "../format-number.ts";
import type { LabelledRun } from "../run-label.ts";
import type { Cost } from "../summary/cost.ts";
import { number, type ReportTable, text } from "./report-table.ts";

const parts = ["build", "answer", "superseded"] as const;
const partNames = { build: "building", answer: "answering", superseded: "attempts given up" } as const;

export function costTable(runs: readonly LabelledRun[]): ReportTable {
  const row = (label: string, part: (typeof parts)[number], cost: Cost | null) => ({
    cells: [
      label,
      partNames[part],
      ...(cost === null
        ? Array<string>(9).fill(absent)
        : [
            whole(cost.sessions),
            whole(cost.turns),
            whole(cost.tokens.prompt),
            whole(cost.tokens.interaction),
            whole(cost.tokens.completion),
            cost.provider === null
              ? absent
              : `${whole(cost.provider.prompt)} + ${whole(cost.provider.completion)} (${fraction(cost.provider.sessions, cost.sessions)})`,
            duration(cost.sessionMs / cost.sessions),
            duration(cost.sessionMs),
            duration(cost.elapsedMs),
          ]),
    ],
  });
  return {
    id: "cost",
    title: "Cost of building and of answering",
    note: "Tokens by the policy's counter: initial prompts; all that followed them; the sampled part of that. Provider: prompt (summed over turns) + completion, and the sessions it counted. Elapsed: time in which at least one such session ran.",
    columns: [
      text("run"),
      text("part"),
      number("sessions"),
      number("turns"),
      number("prompt tokens"),
      number("interaction"),
      number("completion"),
      number("provider's count"),
      number("time per session"),
      number("sum over sessions"),
      number("elapsed"),
    ],
    rows: runs.flatMap(({ run, label }) =>
      parts
        .filter((part) => part !== "superseded" || run.cost.superseded !== null)
        .map((part) => row(label, part, run.cost[part])),
    ),
  };
}
