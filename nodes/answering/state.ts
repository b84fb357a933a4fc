/** Phase II's state: one question over a finished memory. */
import { StateSchema } from "@langchain/langgraph";
import { z } from "zod";
import { ReadRecord, SessionError } from "../session/record.ts";
import { SessionIdentity, SessionOutcome } from "../session/state.ts";

/** What phase II is given; Studio makes its form of it. */
export const AnsweringInput = new StateSchema({
  question: z.string().default("").describe("The question"),
  core: z.string().default("").describe("The core memory"),
  memoryRef: z.string().default("").describe("Names the live bank; empty for an empty one"),
  sourceRef: z.string().default("").describe("Names the live raw context; empty for none"),
  position: z
    .int()
    .nullable()
    .default(null)
    .describe("0-based number of the last chunk that may be shown; empty for the last one there is"),
  context: z.string().default("").describe("Passages given with the question; variants that search first fill it in"),
  given: z
    .array(ReadRecord)
    .default(() => [])
    .describe("Which passages those are"),
  identity: SessionIdentity.default(() => SessionIdentity.parse({})).describe("Where the session stands in its run"),
});

export const AnsweringState = new StateSchema({
  ...AnsweringInput.fields,
  error: SessionError.nullable().default(null).describe("What failed before the session, if anything did"),
  session: SessionOutcome.nullable().default(null).describe("How the session ended"),
  answer: z.string().nullable().default(null).describe("The answer; empty when none was acceptable"),
});

export type Answering = typeof AnsweringState.State;
export type AnsweringUpdate = Partial<typeof AnsweringState.Update>;
