/** The rewards of one sampled context, from its records and scores alone: Eqs. 3–4 and every term in them. */
import type { SessionRecord, Stage } from "../../nodes/session/record.ts";
import type { NoSignal } from "./no-signal.ts";
import { outcomes } from "./outcome.ts";
import type { RewardOptions } from "./reward-options.ts";
import { type Cells, type SampledContext, type SessionGrid, sessionGrid } from "./session-grid.ts";
import { type SessionRewards, sessionRewards } from "./session-rewards.ts";
import type { Table } from "./table.ts";
import { isCutShort, toolValidity } from "./tool-validity.ts";

export interface RewardTables extends SessionRewards {
  readonly grid: SessionGrid;
  /** [G][N] */
  readonly r_tool_mem: Table;
  /** [G][M] */
  readonly r_tool_qa: Table;
  /** [G][M] */
  readonly r_outcome: Table;
}

export function rewardTables(sampled: SampledContext, options: RewardOptions): RewardTables {
  const grid = sessionGrid(sampled);
  const outcome = outcomes(sampled.scores, options);
  const terms = {
    r_tool_mem: valuesOf(grid.mem, (record) => toolValidity(record, options)),
    r_tool_qa: valuesOf(grid.qa, (record) => toolValidity(record, options)),
    r_outcome: valuesOf(grid.qa, outcome),
  };
  return { grid, ...terms, ...sessionRewards(terms, options.lambda) };
}

const valuesOf = (cells: Cells<SessionRecord>, value: (record: SessionRecord) => number | null): Table =>
  cells.map((row) => row.map((record) => record && value(record)));

/** One session of the tables. */
export interface SessionReward {
  readonly session: SessionRecord;
  readonly stage: Stage;
  /** Its row and column. */
  readonly i: number;
  readonly column: number;
  readonly r_tool: number | null;
  /** Its own outcome, or the mean outcome of its trajectory for a memory session. */
  readonly r_outcome: number | null;
  readonly R: number | null;
  /** Why R is null. */
  readonly reason: NoSignal | null;
}

/** Every session that was run, trajectory by trajectory, memory before answers. */
export function sessionsOf(tables: RewardTables): SessionReward[] {
  const { grid, r_tool_mem, r_tool_qa, r_bar, r_outcome, R_mem, R_qa } = tables;
  return grid.trajectories.flatMap((_, i) => [
    ...rewardsOf("memory", i, grid.mem[i]!, r_tool_mem[i]!, () => r_bar[i]!, R_mem[i]!),
    ...rewardsOf("qa", i, grid.qa[i]!, r_tool_qa[i]!, (j) => r_outcome[i]![j]!, R_qa[i]!),
  ]);
}

function rewardsOf(
  stage: Stage,
  i: number,
  records: readonly (SessionRecord | null)[],
  r_tool: readonly (number | null)[],
  outcomeAt: (column: number) => number | null,
  R: readonly (number | null)[],
): SessionReward[] {
  return records.flatMap((session, column): SessionReward[] => {
    if (session === null) return [];
    const place = { session, stage, i, column, r_tool: r_tool[column]!, r_outcome: outcomeAt(column) };
    return [{ ...place, R: R[column]!, reason: R[column] === null ? whyNull(session) : null }];
  });
}

function whyNull(session: SessionRecord): NoSignal {
  if (isCutShort(session)) return session.end === "cancelled" ? "cancelled" : "failed";
  return session.stage === "qa" ? "no-outcome" : "no-trajectory-outcome";
}
