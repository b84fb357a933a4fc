/**
 * Session rewards, UMA Eqs. 3–4, on tables: r_tool is [G][N] and [G][M], r_outcome is [G][M].
 *
 * Null, no signal, spreads no further than it must: an answer without an outcome has no R_qa and leaves the mean of its
 * trajectory, which is over the answers that have one; a trajectory without any gives its memory sessions no R_mem; a
 * session that failed has no r_tool and so no reward of its own.
 */
import { UmaError } from "../../base/errors.ts";
import type { Table } from "./table.ts";

export interface RewardTerms {
  readonly r_tool_mem: Table;
  readonly r_tool_qa: Table;
  readonly r_outcome: Table;
}

export interface SessionRewards {
  /** The mean outcome of each trajectory, [G]. */
  readonly r_bar: readonly (number | null)[];
  readonly R_mem: Table;
  readonly R_qa: Table;
}

export function sessionRewards(
  { r_tool_mem, r_tool_qa, r_outcome }: RewardTerms,
  lambda: { readonly memory: number; readonly qa: number },
): SessionRewards {
  const G = r_outcome.length;
  if (
    r_tool_mem.length !== G ||
    r_tool_qa.length !== G ||
    r_tool_qa.some((row, i) => row.length !== r_outcome[i]!.length)
  )
    throw new UmaError("input", "r_tool and r_outcome have to be of the same trajectories and questions");

  const R_qa = r_tool_qa.map((row, i) => row.map((r_tool, j) => plus(lambda.qa, r_tool, r_outcome[i]![j]!))); // Eq. 3
  const r_bar = r_outcome.map(meanOfKnown); // Eq. 4, first line
  const R_mem = r_tool_mem.map((row, i) => row.map((r_tool) => plus(lambda.memory, r_tool, r_bar[i]!))); // Eq. 4
  return { r_bar, R_mem, R_qa };
}

const plus = (lambda: number, r_tool: number | null, r_outcome: number | null) =>
  r_tool === null || r_outcome === null ? null : lambda * r_tool + r_outcome;

/** Null when nothing is known. */
export function meanOfKnown(row: readonly (number | null)[]): number | null {
  // sorted, because a floating-point sum depends on its order, and equal sets of outcomes have to give equal means
  const known = row.filter((value) => value !== null).sort((a, b) => a - b);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length;
}
