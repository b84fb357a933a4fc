/** What a policy was shown and what it replied, turn by turn, as plain JSON: written by `recordingPolicy`, read by `replay`. */
import type { AIMessage, BaseMessage } from "@langchain/core/messages";
import { z } from "zod";
import { canonicalJson, contentHash } from "../base/hash.ts";
import { ParsedCall } from "../tools/call.ts";
import type { SampleRequest } from "./policy.ts";
import { textOf } from "./tool-call-parsing/parse-native.ts";

const ShownMessage = z.object({
  role: z.string(),
  text: z.string(),
  calls: z.array(z.object({ id: z.string(), name: z.string(), args: z.record(z.string(), z.unknown()) })).optional(),
  /** For observations: the call that they answer. */
  callId: z.string().optional(),
});
export type ShownMessage = z.infer<typeof ShownMessage>;

export const Shown = z.object({ messages: z.array(ShownMessage), tools: z.array(z.string()) });
export type Shown = z.infer<typeof Shown>;

export const TranscriptTurn = z.object({
  /** Of `shown`, which may be left out to keep a file small; a mismatch can then not be explained. */
  hash: z.string(),
  shown: Shown.optional(),
  reply: z.object({
    text: z.string(),
    /** The message's own text, which holds the tags of hermes calls. */
    content: z.string(),
    calls: z.array(ParsedCall),
    usage: z.object({ prompt: z.number(), completion: z.number() }).nullable(),
    cut: z.enum(["length", "content_filter"]).nullable().default(null),
  }),
});
export type TranscriptTurn = z.infer<typeof TranscriptTurn>;

export const Transcript = z.object({
  format: z.literal("umagraph-transcript"),
  version: z.literal(1),
  /** Name of the policy that was recorded. */
  policy: z.string(),
  turns: z.array(TranscriptTurn),
});
export type Transcript = z.infer<typeof Transcript>;

/** Messages and tools; not the seed or the token room, which follow from the run and not from what a policy reads. */
export function shownIn(request: SampleRequest): Shown {
  return {
    messages: request.messages.map(shownMessage),
    tools: request.tools.map((tool) => tool.function.name),
  };
}

export const shownHash = (shown: Shown) => contentHash(canonicalJson(shown));

function shownMessage(message: BaseMessage): ShownMessage {
  const calls = ((message as AIMessage).tool_calls ?? []).map(({ id, name, args }) => ({ id: id ?? "", name, args }));
  const callId = (message as { tool_call_id?: string }).tool_call_id;
  return {
    role: message.getType(),
    text: textOf(message),
    ...(calls.length > 0 ? { calls } : {}),
    ...(callId === undefined ? {} : { callId }),
  };
}
