/**
 * The state of one tool-calling session: small, serialisable, the same for graph and loop (contracts §5).
 *
 * The bank and the context are not in it: `memoryRef` and `sourceRef` name live objects (see live-objects.ts), so no
 * checkpoint copies them.
 */
import { StateSchema } from "@langchain/langgraph";
import { z } from "zod";
import { ParsedCall } from "../../tools/call.ts";
import { MessageHistory } from "./message-history.ts";
import { CallRecord, CutReason, ReadRecord, SessionEnd, SessionError, Stage } from "./record.ts";

export const SessionIdentity = z.object({
  run: z.string().default("studio"),
  context: z.string().default("context"),
  trajectory: z.int().default(0),
  /** QA sessions only. */
  question: z.string().nullable().default(null),
  /** The memory session whose memory this one starts from. */
  parent: z.string().nullable().default(null),
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

/** What a session is given; Studio makes its form of it. */
export const SessionInput = new StateSchema({
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
  sourceRef: z.string().default("").describe("Names the live raw context; empty for none"),
  identity: SessionIdentity.default(() => SessionIdentity.parse({})).describe("Where the session stands in its run"),
  error: SessionError.nullable().default(null).describe("What failed; set before the session, it ends at once"),
});

export const SessionState = new StateSchema({
  ...SessionInput.fields,
  memoryBefore: z.string().default("").describe("The bank as the session found it; a failed session goes back to it"),
  messages: MessageHistory,
  calls: z
    .array(ParsedCall)
    .default(() => [])
    .describe("The calls of the last reply that wait for execution: edit them at a breakpoint and go on"),
  sampled: z
    .array(ParsedCall)
    .default(() => [])
    .describe("The same calls as the policy made them: what differs was edited by a person"),
  reply: z.string().nullable().default(null).describe("The text of the last reply, when it held no call"),
  cut: CutReason.nullable().default(null).describe("Whether the provider cut that text short"),
  turn: z.int().default(0).describe("Policy calls so far"),
  lastTurn: z
    .enum(["budget", "turns"])
    .nullable()
    .default(null)
    .describe("Why the last turn had no tools, if it had none"),
  log: z
    .array(CallRecord)
    .default(() => [])
    .describe("Every call with its verdict, observation and effects"),
  spent: Spent.default(() => ({ prompt: 0, interaction: 0, completion: 0, provider: null })).describe("Tokens"),
  truncated: z
    .object({ core: z.int(), focus: z.int(), context: z.int() })
    .default(() => ({ core: 0, focus: 0, context: 0 }))
    .describe("Characters cut from the left of each part to meet the prompt budget"),
  startedAt: z.number().default(0).describe("ms since 1970"),
  cancelled: z.boolean().default(false).describe("Whether the user stopped it"),
  outcome: SessionOutcome.nullable().default(null).describe("How it ended, and the text that was accepted"),
});

export type Session = typeof SessionState.State;
export type SessionUpdate = Partial<typeof SessionState.Update>;
