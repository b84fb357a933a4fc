/**
 * The state of one tool-calling session: small, serialisable, the same for graph and loop (contracts §5).
 *
 * The bank and the context are not in it: `memoryRef` and `sourceRef` name live objects (see live-objects.ts), so no
 * checkpoint copies them.
 */
import { MessagesValue, StateSchema } from "@langchain/langgraph";
import { z } from "zod";
import { ParsedCall } from "../../tools/call.ts";
import { CallRecord, ReadRecord, SessionEnd, SessionError, Stage } from "./record.ts";

export const SessionIdentity = z.object({
  run: z.string().default("studio"),
  context: z.string().default("context"),
  trajectory: z.int().default(0),
  /** QA sessions only. */
  question: z.string().nullable().default(null),
  seed: z.int().default(0),
  attempt: z.int().default(1),
});
export type SessionIdentity = z.infer<typeof SessionIdentity>;

export const SessionOutcome = z.object({
  end: SessionEnd,
  /** The text that was committed (phase I) or answered (phase II); null when there was none that the guard accepted. */
  text: z.string().nullable(),
  /** Why the guard refused the text, if it did. */
  refused: z.string().nullable(),
  error: SessionError.nullable(),
});
export type SessionOutcome = z.infer<typeof SessionOutcome>;

const Spent = z.object({
  prompt: z.int(),
  interaction: z.int(),
  completion: z.int(),
  provider: z.object({ prompt: z.int(), completion: z.int() }).nullable(),
});

export const SessionState = new StateSchema({
  stage: Stage.default("memory").describe("memory: read a chunk and maintain the bank; qa: answer a question"),
  core: z.string().default("").describe("The core memory before the session"),
  focus: z.string().default("").describe("The chunk to read or the question to answer"),
  context: z.string().default("").describe("Passages given with the question (RAG, Concat); usually empty"),
  given: z
    .array(ReadRecord)
    .default(() => [])
    .describe("Which passages those are"),
  position: z.int().default(0).describe("0-based number of the chunk, or of the last chunk in memory"),
  memoryRef: z.string().default("").describe("Names the live bank; empty for an empty one"),
  /** The bank as the session found it; a failed session goes back to it. */
  memoryBefore: z.string().default(""),
  sourceRef: z.string().default("").describe("Names the live raw context; empty for none"),
  identity: SessionIdentity.default(() => SessionIdentity.parse({})),

  messages: MessagesValue,
  /** The calls of the last reply that wait for execution: edit them at a breakpoint and go on. */
  calls: z.array(ParsedCall).default(() => []),
  /** The same calls as the policy made them: what differs was edited by a person. */
  sampled: z.array(ParsedCall).default(() => []),
  /** The text of the last reply, when it held no call. */
  reply: z.string().nullable().default(null),
  turn: z.int().default(0),
  lastTurn: z.enum(["budget", "turns"]).nullable().default(null),
  log: z.array(CallRecord).default(() => []),
  spent: Spent.default(() => ({ prompt: 0, interaction: 0, completion: 0, provider: null })),
  truncated: z
    .object({ core: z.int(), focus: z.int(), context: z.int() })
    .default(() => ({ core: 0, focus: 0, context: 0 })),
  startedAt: z.number().default(0),
  error: SessionError.nullable().default(null),
  cancelled: z.boolean().default(false),
  outcome: SessionOutcome.nullable().default(null),
});

export type Session = typeof SessionState.State;
export type SessionUpdate = Partial<typeof SessionState.Update>;
