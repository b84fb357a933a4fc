/**
 * The rollout graph's state: one context, G trajectories, M questions, and the table of what came of them.
 *
 * Banks and contexts are named, not held (see live-objects.ts); what is kept per session is one short row.
 */
import { ReducedValue, StateSchema } from "@langchain/langgraph";
import { z } from "zod";
import { AgentQuestion } from "../../nodes/agent/state.ts";
import { SessionIdentity } from "../../nodes/session/state.ts";
import { SessionSummary } from "./session-summary.ts";
import { Stop, StoppedMemory } from "./trajectory-state.ts";

export const RolloutIdentity = z.object({
  run: z.string().default("rollout"),
  context: SessionIdentity.shape.context,
});

const PlacedQuestion = AgentQuestion.extend({ position: z.int() });
export type PlacedQuestion = z.infer<typeof PlacedQuestion>;

/** What a rollout is given; Studio makes its form of it. */
export const RolloutInput = new StateSchema({
  chunks: z
    .array(z.string())
    .default(() => [])
    .describe("The context, one text per chunk; empty for the one that this thread has read before"),
  questions: z
    .array(z.union([z.string(), AgentQuestion.extend({ position: z.int().nullish() })]))
    .default(() => [])
    .describe("Texts, or objects with an id and, for questions in mid-stream, the 0-based last chunk in memory"),
  G: z.int().default(2).describe("Memory trajectories, 1 to 500"),
  M: z.int().nullable().default(null).describe("Questions drawn, the same for every trajectory; empty for all of them"),
  seed: z.int().default(0).describe("The draw and every session's own seed are derived from it"),
  identity: RolloutIdentity.default(() => RolloutIdentity.parse({})).describe("What the records call run and context"),
});

export const TrajectoryRow = z.object({
  memories: z.array(StoppedMemory),
  sessions: z.array(SessionSummary),
  error: z.string().nullable(),
});

export const AnswerRow = SessionSummary.extend({ answer: z.string().nullable() });

export const RolloutState = new StateSchema({
  ...RolloutInput.fields,
  sourceRef: z.string().default("").describe("Names the live raw context"),
  stops: z
    .array(Stop)
    .default(() => [])
    .describe("Where trajectories keep their memory"),
  drawn: z
    .array(PlacedQuestion)
    .default(() => [])
    .describe("The questions that are asked of every trajectory"),
  trajectories: new ReducedValue(
    z
      .record(z.string(), TrajectoryRow)
      .default(() => ({}))
      .describe("By trajectory (t0, t1, …): its memories by name, and how its memory sessions ended"),
    { reducer: (known, more) => ({ ...known, ...more }) },
  ),
  answers: new ReducedValue(
    z
      .record(z.string(), z.record(z.string(), AnswerRow))
      .default(() => ({}))
      .describe("By trajectory and question: the answer, and how its session ended"),
    {
      reducer: (known, more) => ({
        ...known,
        ...Object.fromEntries(Object.entries(more).map(([i, rows]) => [i, { ...known[i], ...rows }])),
      }),
    },
  ),
});

export type Rollout = typeof RolloutState.State;
export type RolloutUpdate = Partial<typeof RolloutState.Update>;
