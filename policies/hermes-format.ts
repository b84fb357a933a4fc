/**
 * A session as plain turns, for models that read and write tool calls as text (the template of UMA App. B, in our words).
 *
 * The tools stand in the system text, the model's own turns are sent back exactly as it wrote them, observations are user
 * turns. Only the model's own reply is ever parsed for calls; still, tags and special tokens in chunks and observations
 * are disarmed, so that text which someone else wrote does not look like a call or end a turn.
 */
import { AIMessage, type BaseMessage, HumanMessage, SystemMessage } from "@langchain/core/messages";
import type { ToolDefinition } from "../tools/tool.ts";
import { historyCall } from "./history-message.ts";
import { parseBareCall } from "./tool-call-parsing/parse-bare-call.ts";
import { parseHermes } from "./tool-call-parsing/parse-hermes.ts";
import { textOf } from "./tool-call-parsing/parse-native.ts";
import { disarmMarkup } from "./tool-call-parsing/tool-call-markup.ts";
import { withoutThinking } from "./tool-call-parsing/without-thinking.ts";

/** A model that goes on to invent its own observation is stopped there. */
export const OBSERVATION_TAG = "<tool_response>";

export function hermesMessages(messages: readonly BaseMessage[], tools: readonly ToolDefinition[]): BaseMessage[] {
  const system = messages.filter((message) => message.getType() === "system").map(textOf);
  if (tools.length > 0) system.push(toolsText(tools));
  const turns: BaseMessage[] = system.length === 0 ? [] : [new SystemMessage(system.join("\n\n"))];
  let observations: string[] = [];
  const flush = () => {
    if (observations.length > 0) turns.push(new HumanMessage(observations.join("\n")));
    observations = [];
  };
  for (const message of messages) {
    const type = message.getType();
    if (type === "tool") {
      observations.push(`${OBSERVATION_TAG}\n${disarmMarkup(textOf(message))}\n</tool_response>`);
      continue;
    }
    flush();
    if (type === "ai") turns.push(new AIMessage(asWritten(message as AIMessage)));
    else if (type !== "system") turns.push(new HumanMessage(disarmMarkup(textOf(message))));
  }
  flush();
  return turns;
}

function toolsText(tools: readonly ToolDefinition[]): string {
  return [
    "You can call these tools, one JSON definition per line:",
    "<tools>",
    ...tools.map((tool) => JSON.stringify(tool)),
    "</tools>",
    "To call a tool, write its name and arguments as one JSON object between tags, once for each call:",
    "<tool_call>",
    '{"name": "the_tool", "arguments": {"argument": "value"}}',
    "</tool_call>",
    `The results come back between ${OBSERVATION_TAG} and </tool_response>. A reply without a call ends the session.`,
  ].join("\n");
}

const written = new WeakMap<AIMessage, string>();

/** The model's own text; written anew only when its calls were edited since, or when it came from a native policy. */
export function asWritten(message: AIMessage): string {
  const known = written.get(message);
  if (known !== undefined) return known;
  const text = textOf(message);
  const said = parseHermes(withoutThinking(text), { idPrefix: "" });
  const calls = message.tool_calls ?? [];
  const bare =
    said.calls.length > 0 ? [] : parseBareCall(said.text, { tools: calls.map((call) => call.name), idPrefix: "" });
  const spoken = bare.length > 0 ? bare : said.calls;
  const result =
    callsText(calls) === callsText(spoken.map(historyCall))
      ? text
      : [bare.length > 0 ? "" : said.text, callsText(calls)].filter((part) => part !== "").join("\n");
  written.set(message, result);
  return result;
}

const callsText = (calls: readonly { readonly name: string; readonly args: Readonly<Record<string, unknown>> }[]) =>
  calls.map(({ name, args }) => `<tool_call>\n${JSON.stringify({ name, arguments: args })}\n</tool_call>`).join("\n");
