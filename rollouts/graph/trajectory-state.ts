/** One trajectory's state: the memory as it stands, and the memories that questions are asked of, all by name. */
import { StateSchema } from "@langchain/langgraph";
import { z } from "zod";
import { SessionIdentity } from "../../nodes/session/state.ts";
import { SessionSummary } from "./session-summary.ts";

/** A place in the stream where the memory is kept. */
export const Stop = z.object({
  /** 0-based number of the last chunk that is read. */
  position: z.int(),
  /** Names the raw context up to there. */
  sourceRef: z.string(),
});

export const StoppedMemory = z.object({
  position: z.int(),
  core: z.string(),
  memoryRef: z.string(),
  /** The memory session that gave it; null for methods that keep no memory. */
  parent: z.string().nullable(),
});
export type StoppedMemory = z.infer<typeof StoppedMemory>;

export const TrajectoryState = new StateSchema({
  identity: SessionIdentity.default(() => SessionIdentity.parse({})).describe("Where the sessions stand in their run"),
  stops: z
    .array(Stop)
    .default(() => [])
    .describe("Where to keep the memory: after each chunk that a question is asked after, and after the last one"),
  core: z.string().default("").describe("The core memory"),
  memoryRef: z.string().default("").describe("Names the live bank"),
  cursor: z.int().default(0).describe("0-based number of the next chunk to read"),
  parent: z.string().nullable().default(null).describe("Id of the last session"),
  memories: z
    .array(StoppedMemory)
    .default(() => [])
    .describe("The memories that were kept"),
  sessions: z
    .array(SessionSummary)
    .default(() => [])
    .describe("How the memory sessions ended"),
  error: z.string().nullable().default(null).describe("What broke the trajectory off; a failed session does not"),
});

export type Trajectory = typeof TrajectoryState.State;
export type TrajectoryUpdate = Partial<typeof TrajectoryState.Update>;
