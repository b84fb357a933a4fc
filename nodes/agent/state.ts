/** The whole agent's state: one stream, many questions, answers keyed by question. */
import { ReducedValue, StateSchema } from "@langchain/langgraph";
import { z } from "zod";
import { MaintenanceInput, MaintenanceState } from "../maintenance/state.ts";

export const AgentQuestion = z.object({ id: z.string(), text: z.string() });
export type AgentQuestion = z.infer<typeof AgentQuestion>;

export const AgentAnswer = z.object({ answer: z.string().nullable(), end: z.string(), error: z.string().nullable() });
export type AgentAnswer = z.infer<typeof AgentAnswer>;

/** What the agent is given; Studio makes its form of it. */
export const AgentInput = new StateSchema({
  ...MaintenanceInput.fields,
  questions: z
    .array(z.union([z.string(), AgentQuestion]))
    .default(() => [])
    .describe("Questions to answer from the finished memory; texts, or objects with an id"),
});

export const AgentState = new StateSchema({
  ...MaintenanceState.fields,
  ...AgentInput.fields,
  answers: new ReducedValue(
    z
      .record(z.string(), AgentAnswer)
      .default(() => ({}))
      .describe("Answers by the question's id"),
    { reducer: (known, more) => ({ ...known, ...more }) },
  ),
});

export type Agent = typeof AgentState.State;
export type AgentUpdate = Partial<typeof AgentState.Update>;
