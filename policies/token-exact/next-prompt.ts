/**
 * The ids of the next prompt, from the messages alone (contracts §4): what earlier replies carry is taken as it was, only
 * what came after the last one is encoded.
 */
import type { AIMessage, BaseMessage, ToolMessage } from "@langchain/core/messages";
import type { ToolDefinition } from "../../tools/tool.ts";
import { asWritten } from "../hermes-format.ts";
import { tokensOf, tokenTurns } from "../message-tokens.ts";
import { textOf } from "../tool-call-parsing/parse-native.ts";
import type { ChatFormat, PlainMessage } from "./chat-format.ts";

export interface NextPrompt {
  /** The model is given `added` alone, since it does not continue what came before. */
  readonly restart: boolean;
  /** Ids since the last completion; with `restart` all of them. */
  readonly added: Int32Array;
  /** All ids that the model is given. */
  readonly ids: Int32Array;
  /** Versions of the weights behind the replies so far. */
  readonly weights: readonly (string | null)[];
}

export function nextPrompt(
  messages: readonly BaseMessage[],
  tools: readonly ToolDefinition[],
  format: ChatFormat,
): NextPrompt {
  const turns = tokenTurns(messages) ?? [];
  const weights = turns.map((turn) => turn.weights);
  const last = turns.at(-1);
  const after = messages.slice(messages.findLastIndex((message) => message.getType() === "ai") + 1);
  if (!last || !startsWhole(messages) || rewrites(messages, after, format)) {
    const { ids } = format.encodeSession(messages.map(plain), tools);
    return { restart: true, added: ids, ids, weights };
  }
  const { prompt, completion } = last;
  const { ids: added } = format.encodeSuffix(after.map(plain), completion.at(-1) ?? null);
  const ids = new Int32Array(prompt.length + completion.length + added.length);
  ids.set(prompt);
  ids.set(completion, prompt.length);
  ids.set(added, prompt.length + completion.length);
  return { restart: false, added, ids, weights };
}

/** Whether the first reply carries its whole prompt; it does not when somebody took earlier messages out. */
function startsWhole(messages: readonly BaseMessage[]): boolean {
  const first = messages.find((message) => message.getType() === "ai");
  return first !== undefined && tokensOf(first)!.restart;
}

function rewrites(messages: readonly BaseMessage[], after: readonly BaseMessage[], { rewriting }: ChatFormat): boolean {
  const changes = after.some((message) => message.getType() !== "tool") ? rewriting.user : rewriting.tool;
  if (changes !== "thoughts") return changes === "always";
  return messages.some((message) => message.getType() === "ai" && textOf(message).includes("</think>"));
}

function plain(message: BaseMessage): PlainMessage {
  const { name } = message;
  switch (message.getType()) {
    case "system":
      return { role: "system", text: textOf(message) };
    case "ai":
      return { role: "assistant", text: asWritten(message as AIMessage) };
    case "tool":
      return { role: "tool", text: textOf(message), name, callId: (message as ToolMessage).tool_call_id };
    default:
      return { role: "user", text: textOf(message) };
  }
}
