/**
 * An OpenAI-compatible server whose model is the extractive policy: real replies to real requests, as slow or as faulty as a
 * test wants. What it answers depends on the request alone, so runs against it can be compared.
 */
import { AIMessage, type BaseMessage, HumanMessage, SystemMessage, ToolMessage } from "@langchain/core/messages";
import { extractive } from "../../policies/extractive/extractive.ts";
import type { ToolDefinition } from "../../tools/tool.ts";
import {
  type Answer,
  chatCompletionsServer,
  type RequestBody,
  type WireMessage,
} from "../policies/chat-completions-server.ts";

export interface ExtractiveServer {
  readonly url: string;
  /** Requests so far. */
  requests(): number;
  close(): Promise<void>;
}

/** `instead` may give another answer, or wait; the index counts requests. */
export async function extractiveServer(
  instead: (body: RequestBody, index: number) => Answer | undefined | Promise<Answer | undefined> = () => undefined,
  port = 0,
): Promise<ExtractiveServer> {
  const policy = extractive();
  const server = await chatCompletionsServer(
    async (body, index) => (await instead(body, index)) ?? (await reply(policy, body)),
    port,
  );
  return { url: server.url, requests: () => server.requests.length, close: server.close };
}

async function reply(policy: ReturnType<typeof extractive>, body: RequestBody): Promise<Answer> {
  const sample = await policy.sample({
    messages: body.messages.map(fromWire),
    tools: (body.tools ?? []) as ToolDefinition[],
    maxTokens: body.max_tokens ?? 8_192,
    seed: body.seed ?? 0,
  });
  const calls = sample.calls.map(({ id, name, args }) => ({
    id,
    type: "function" as const,
    function: { name, arguments: JSON.stringify(args) },
  }));
  // no usage: what a session may spend is then counted on our side, as it is without a server
  return { message: { content: sample.text, ...(calls.length > 0 && { tool_calls: calls }) }, usage: false };
}

function fromWire({ role, content, tool_calls: calls, tool_call_id: id }: WireMessage): BaseMessage {
  const text = typeof content === "string" ? content : "";
  if (role === "system" || role === "developer") return new SystemMessage(text);
  if (role === "user") return new HumanMessage(text);
  if (role === "tool") return new ToolMessage({ content: text, tool_call_id: id ?? "" });
  return new AIMessage({
    content: text,
    tool_calls: (calls ?? []).map((call) => ({
      type: "tool_call" as const,
      id: call.id ?? "",
      name: call.function.name ?? "",
      args: JSON.parse(String(call.function.arguments)) as Record<string, unknown>,
    })),
  });
}
