/** Phase I from one stop of a trajectory to the next: what it is given, what it gives back, and whether another follows. */
import type { Maintenance } from "../../nodes/maintenance/state.ts";
import type { SessionSummary } from "./session-summary.ts";
import type { Trajectory, TrajectoryUpdate } from "./trajectory-state.ts";

/** The stream up to the stop and not a chunk further, so that every variant's own phase I ends there. */
export const openSpan = ({ stops, core, memoryRef, cursor, identity, parent }: Trajectory) => ({
  core,
  memoryRef,
  cursor,
  sourceRef: stops[0]!.sourceRef,
  identity: { ...identity, parent },
});

export function closeSpan(
  { stops, memories, sessions, parent: before }: Trajectory,
  { core, memoryRef, cursor, parent = before }: Maintenance,
  more: readonly SessionSummary[],
): TrajectoryUpdate {
  const [{ position }, ...rest] = stops as [Trajectory["stops"][number], ...Trajectory["stops"]];
  return {
    ...{ core, memoryRef, cursor, parent },
    stops: rest,
    memories: [...memories, { position, core, memoryRef, parent }],
    sessions: [...sessions, ...more],
  };
}

/** Later stops would be asked of a memory that lacks this span. */
export const breakOff = (
  { sessions }: Trajectory,
  error: string,
  more: readonly SessionSummary[],
): TrajectoryUpdate => ({ error, stops: [], sessions: [...sessions, ...more] });

export const hasNextStop = ({ stops }: Trajectory) => (stops.length > 0 ? "more" : "done");
