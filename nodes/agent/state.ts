/** The whole agent's state: one stream, many questions, answers keyed by question. */
import { ReducedValue, StateSchema } from "@langchain/langgraph";
import { z } from "zod";
import { MaintenanceState } from "../maintenance/state.ts";

export const AgentQuestion = z.object({ id: z.string(), text: z.string() });
export type AgentQuestion = z.infer<typeof AgentQuestion>;

export const AgentAnswer = z.object({ answer: z.string().nullable(), end: z.string(), error: z.string().nullable() });
export type AgentAnswer = z.infer<typeof AgentAnswer>;

export const AgentState = new StateSchema({
  ...MaintenanceState.fields,
  questions: z
    .array(z.union([z.string(), AgentQuestion]))
    .default(() => [])
    .describe("Questions to answer from the finished memory; texts, or objects with an id"),
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
