/**
 * A scripted session as the token sequence that a token-exact policy would have left: prompts encoded as it encodes them,
 * replies as if it had sampled them. What it trains is what runs.
 */
import { UmaError } from "../../base/errors.ts";
import type { MessageRecord } from "../../nodes/session/record.ts";
import type { ChatFormat, PlainMessage } from "../../policies/token-exact/chat-format.ts";
import { type TracePart, type TurnTokens, traceSession } from "../../policies/token-trace.ts";

/** Throws `input` for a session without a reply. There are no log-probabilities: 0 stands for them, and nothing reads it. */
export function sessionTrace(
  messages: readonly MessageRecord[],
  format: ChatFormat,
  session = "the session",
): TracePart[] {
  const turns: TurnTokens[] = [];
  let ids = new Int32Array(0);
  let pending: MessageRecord[] = [];
  for (const message of messages) {
    if (message.role !== "assistant") {
      pending.push(message);
      continue;
    }
    const given = pending.map(plain);
    const added = turns.length === 0 ? format.encodeSession(given, []) : format.encodeSuffix(given, ids.at(-1) ?? null);
    const prompt = joined([ids, added.ids]);
    const completion = joined([encodeReply(message, format), Int32Array.of(format.endIds[0]!)]);
    turns.push({ prompt, completion, logprobs: new Float32Array(completion.length) });
    ids = joined([prompt, completion]);
    pending = [];
  }
  if (turns.length === 0) throw new UmaError("input", `${session}: expected at least one reply, found none`);
  return [...traceSession(turns, session).parts];
}

const plain = ({ role, text, callId }: MessageRecord): PlainMessage => ({
  role,
  text,
  ...(callId !== undefined && { callId }),
});

/** Calls as the policy is to write them: compact JSON between the tags, one after the other. */
export function replyText({ text, calls = [] }: Pick<MessageRecord, "text" | "calls">): string {
  const written = calls.map(({ name, args }) => `<tool_call>${JSON.stringify({ name, arguments: args })}</tool_call>`);
  return text + written.join("");
}

function encodeReply(message: MessageRecord, { tokenizer }: ChatFormat): Int32Array {
  const tags = [...tokenizer.specials].filter(([, { control }]) => !control);
  const text = replyText(message);
  if (tags.length === 0) return tokenizer.encodeText(text);
  // tags that the model writes itself may be tokens of their own
  const found = new RegExp(`(${tags.map(([tag]) => tag.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")).join("|")})`);
  const pieces = text
    .split(found)
    .map((piece, k) => (k % 2 === 1 ? Int32Array.of(tokenizer.specials.get(piece)!.id) : tokenizer.encodeText(piece)));
  return joined(pieces);
}

function joined(parts: readonly Int32Array[]): Int32Array<ArrayBuffer> {
  const all = new Int32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
