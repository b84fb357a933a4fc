/** One of the G branches of a rollout: what a trajectory is given, and the row that it gives. */
import { Send } from "@langchain/langgraph";
import { SessionIdentity } from "../../nodes/session/state.ts";
import type { SessionSummary } from "./session-summary.ts";
import type { Rollout, RolloutUpdate } from "./state.ts";
import type { Trajectory, TrajectoryUpdate } from "./trajectory-state.ts";

/** As in the ids of records. */
export const trajectoryName = (i: number) => `t${i}`;

export const openTrajectories = ({ G, seed, stops, identity }: Rollout) =>
  Array.from({ length: G }, (_, trajectory) => {
    const given: TrajectoryUpdate = { stops, identity: SessionIdentity.parse({ ...identity, trajectory, seed }) };
    return new Send("trajectory", given);
  });

export const closeTrajectory = (
  { identity }: Pick<Trajectory, "identity">,
  { memories, sessions, error }: Trajectory,
): RolloutUpdate => ({ trajectories: { [trajectoryName(identity.trajectory)]: { memories, sessions, error } } });

/** What broke the graph itself; what breaks a span of the stream is in the trajectory's own state. */
export const loseTrajectory = (
  { identity }: Pick<Trajectory, "identity">,
  error: string,
  sessions: readonly SessionSummary[],
): RolloutUpdate => ({
  trajectories: { [trajectoryName(identity.trajectory)]: { memories: [], sessions: [...sessions], error } },
});
