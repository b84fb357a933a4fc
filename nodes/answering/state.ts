/** Phase II's state: one question over a finished memory. */
import { StateSchema } from "@langchain/langgraph";
import { z } from "zod";
import { ReadRecord } from "../session/record.ts";
import { SessionIdentity, SessionOutcome } from "../session/state.ts";

export const AnsweringState = new StateSchema({
  question: z.string().default("").describe("The question"),
  core: z.string().default("").describe("The core memory"),
  memoryRef: z.string().default("").describe("Names the live bank"),
  sourceRef: z.string().default("").describe("Names the live raw context"),
  position: z.int().default(0).describe("0-based number of the last chunk in memory"),
  /** Variants that answer from passages put them here. */
  context: z.string().default("").describe("Passages given with the question; usually empty"),
  given: z.array(ReadRecord).default(() => []),
  identity: SessionIdentity.default(() => SessionIdentity.parse({})),
  session: SessionOutcome.nullable().default(null),
  answer: z.string().nullable().default(null),
});

export type Answering = typeof AnsweringState.State;
export type AnsweringUpdate = Partial<typeof AnsweringState.Update>;
