/**
 * The assistant message that goes into a session's history: one that every provider takes back.
 *
 * LangChain drops calls that it could not read from what it sends, and servers answer 400 to an observation without its
 * call, to broken JSON in a past call, and to odd names. So each call is there, under its id, with an object as arguments
 * (`{}` for an unreadable one, whose text is kept aside) and a name of plain characters.
 */
import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import type { ParsedCall } from "../tools/call.ts";
import type { UnreadCall } from "./tool-call-parsing/parse-native.ts";

export interface HistoryMessageOptions {
  readonly content: AIMessage["content"];
  readonly calls: readonly ParsedCall[];
  /** What unreadable calls said, for people who look at the record. */
  readonly unread?: readonly UnreadCall[];
}

export function historyMessage(reply: BaseMessage, options: HistoryMessageOptions): AIMessage {
  const { content, calls, unread = [] } = options;
  // the raw calls beside ours would be sent back as they came, broken or not
  const {
    tool_calls: _calls,
    raw_tool_calls: _rawCalls,
    function_call: _legacy,
    __raw_response: _raw,
    ...kept
  } = reply.additional_kwargs ?? {};
  const {
    tokenUsage: _a,
    estimatedTokenUsage: _b,
    usage: _c,
    output_version: _d,
    ...told
  } = (reply.response_metadata ?? {}) as Record<string, unknown>;
  const usage = (reply as AIMessage).usage_metadata;
  return new AIMessage({
    content,
    tool_calls: calls.map(historyCall),
    additional_kwargs: unread.length === 0 ? kept : { ...kept, unread_calls: unread },
    response_metadata: told,
    ...(usage ? { usage_metadata: usage } : {}),
    ...(reply.id === undefined ? {} : { id: reply.id }),
  });
}

/** A call as it stands in the history. */
export const historyCall = (call: ParsedCall) => ({
  type: "tool_call" as const,
  id: call.id,
  name: plainName(call.name),
  args: wellFormed(call.args ?? {}),
});

/** Servers accept letters, digits, "_" and "-", at most 64 of them. */
function plainName(name: string): string {
  return name.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, 64) || "unreadable_call";
}

/** JSON writes a lone surrogate as an escape that servers then fail to encode; U+FFFD stands for it in what is sent. */
function wellFormed(args: Record<string, unknown>): Record<string, unknown> {
  const json = JSON.stringify(args);
  return LONE_SURROGATE.test(json) ? JSON.parse(json.replace(LONE_SURROGATES, "\\ufffd")) : args;
}

// JSON.stringify escapes surrogates only when they stand alone; the backslash must not itself be escaped
const LONE_SURROGATE = /(?<!\\)(?:\\\\)*\\ud[89a-f][0-9a-f]{2}/;
const LONE_SURROGATES = /(?<=(?<!\\)(?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/g;

/** The messages as they may be sent: well-formed text throughout. Most are passed on as they are. */
export function sendable(messages: readonly BaseMessage[]): BaseMessage[] {
  return messages.map((message) => {
    const { content } = message;
    if (typeof content !== "string" || isWellFormed(content)) return message;
    const copy = Object.assign(Object.create(Object.getPrototypeOf(message)), message) as BaseMessage;
    copy.content = content.replace(LONE, "�");
    return copy;
  });
}

const LONE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

const isWellFormed = (text: string): boolean => (text as unknown as { isWellFormed(): boolean }).isWellFormed();
