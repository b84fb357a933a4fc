/**
 * A chat model that is a function: the base of every policy without weights.
 *
 * It sees what a model sees, messages and tools, and nothing else; the same turn gives the same reply. It is an ordinary
 * LangChain chat model, so it binds tools and streams inside graphs like any other.
 */
import { BaseChatModel, type BaseChatModelCallOptions } from "@langchain/core/language_models/chat_models";
import { AIMessage, AIMessageChunk, type BaseMessage } from "@langchain/core/messages";
import { ChatGenerationChunk, type ChatResult } from "@langchain/core/outputs";
import { chatModelPolicy } from "./chat-model-policy.ts";
import type { Policy } from "./policy.ts";
import { callId, callIdPrefix } from "./tool-call-parsing/call-id.ts";
import { textOf } from "./tool-call-parsing/parse-native.ts";

/** All that a script may decide by. */
export interface ScriptedTurn {
  readonly messages: readonly BaseMessage[];
  /** Names of the tools that may be called now; empty on a session's last turn. */
  readonly tools: ReadonlySet<string>;
  readonly seed: number;
  /** Room for this reply, in tokens. */
  readonly maxTokens: number;
  /** System and user text before the first reply: instruction, core, chunk or question. */
  readonly prompt: string;
  /** 0-based number of this turn in its session. */
  readonly turn: number;
  /** Every call of the session so far with what came back, oldest first. */
  readonly exchanges: readonly Exchange[];
}

export interface Exchange {
  readonly id: string;
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** null when no observation answers this call. */
  readonly observation: string | null;
}

export interface ScriptedReply {
  readonly text?: string;
  readonly calls?: readonly { readonly name: string; readonly args: Readonly<Record<string, unknown>> }[];
}

/** A whole message may be returned instead, which tests use to play broken providers. */
export type Script = (turn: ScriptedTurn) => ScriptedReply | AIMessage;

export interface ShownTurn {
  readonly messages: readonly BaseMessage[];
  readonly tools: readonly string[];
  readonly seed: number;
  readonly reply: AIMessage;
}

export interface ScriptedCallOptions extends BaseChatModelCallOptions {
  readonly tools?: readonly unknown[];
  readonly seed?: number;
  readonly maxTokens?: number;
}

export class ScriptedChatModel extends BaseChatModel<ScriptedCallOptions> {
  readonly script: Script;
  private readonly label: string;
  private readonly remember: number;
  private readonly record: ShownTurn[] = [];

  /** `remember`: how many of the last turns are kept for `shown()`; a long run must not grow. */
  constructor(options: { readonly script: Script; readonly name?: string; readonly remember?: number }) {
    super({});
    this.script = options.script;
    this.label = options.name ?? "scripted";
    this.remember = options.remember ?? 32;
  }

  override _llmType(): string {
    return this.label;
  }

  override bindTools(tools: readonly unknown[], options: Partial<ScriptedCallOptions> = {}) {
    return this.withConfig({ ...options, tools });
  }

  /** The last turns, oldest first: what was shown and what was replied. */
  shown(): readonly ShownTurn[] {
    return this.record;
  }

  override async _generate(messages: BaseMessage[], options: this["ParsedCallOptions"]): Promise<ChatResult> {
    const message = this.reply(messages, options);
    return { generations: [{ text: textOf(message), message }] };
  }

  override async *_streamResponseChunks(
    messages: BaseMessage[],
    options: this["ParsedCallOptions"],
  ): AsyncGenerator<ChatGenerationChunk> {
    const reply = this.reply(messages, options);
    for (const text of textOf(reply).match(/[\s\S]{1,80}/g) ?? [""])
      yield new ChatGenerationChunk({ text, message: new AIMessageChunk({ content: text }) });
    const chunks = (reply.tool_calls ?? []).map((call, index) => ({
      type: "tool_call_chunk" as const,
      index,
      name: call.name,
      args: JSON.stringify(call.args),
      ...(call.id === undefined ? {} : { id: call.id }),
    }));
    if (chunks.length > 0)
      yield new ChatGenerationChunk({
        text: "",
        message: new AIMessageChunk({ content: "", tool_call_chunks: chunks }),
      });
  }

  private reply(messages: BaseMessage[], options: ScriptedCallOptions): AIMessage {
    const tools = (options.tools ?? []).map(nameOf);
    const seed = options.seed ?? 0;
    const reply = this.script(
      turnOf(messages, { tools, seed, maxTokens: options.maxTokens ?? Number.POSITIVE_INFINITY }),
    );
    const message = reply instanceof AIMessage ? reply : messageOf(reply, callIdPrefix(messages));
    this.record.push({ messages: [...messages], tools, seed, reply: message });
    if (this.record.length > this.remember) this.record.shift();
    return message;
  }
}

/** A scripted policy and the record of its last turns. */
export interface ScriptedPolicy extends Policy {
  readonly scripted: true;
  shown(): readonly ShownTurn[];
}

/** Makes a policy of a script: no retries, no time-outs, marked as scripted. */
export function scriptedPolicy(options: {
  readonly name: string;
  readonly script: Script;
  readonly countTokens?: (text: string) => number;
  readonly remember?: number;
}): ScriptedPolicy {
  const { name, script, countTokens, remember } = options;
  const model = new ScriptedChatModel({ script, name, ...(remember === undefined ? {} : { remember }) });
  const policy = chatModelPolicy(model, {
    name,
    format: "native",
    scripted: true,
    retry: { maxRetries: 0, timeoutMs: null },
    ...(countTokens ? { countTokens } : {}),
  });
  return { ...policy, scripted: true, shown: () => model.shown() };
}

function turnOf(
  messages: readonly BaseMessage[],
  { tools, seed, maxTokens }: { tools: readonly string[]; seed: number; maxTokens: number },
): ScriptedTurn {
  const firstReply = messages.findIndex((message) => message.getType() === "ai");
  return {
    messages,
    tools: new Set(tools),
    seed,
    maxTokens,
    prompt: (firstReply < 0 ? messages : messages.slice(0, firstReply)).map(textOf).join("\n\n"),
    turn: messages.filter((message) => message.getType() === "ai").length,
    exchanges: exchangesOf(messages),
  };
}

function exchangesOf(messages: readonly BaseMessage[]): Exchange[] {
  const observations = new Map<string, string>();
  for (const message of messages)
    if ("tool_call_id" in message && typeof message.tool_call_id === "string")
      observations.set(message.tool_call_id, textOf(message));
  return messages.flatMap((message) => {
    if (!AIMessage.isInstance(message)) return [];
    return (message.tool_calls ?? []).map((call) => ({
      id: call.id ?? "",
      name: call.name,
      args: call.args,
      observation: observations.get(call.id ?? "") ?? null,
    }));
  });
}

function messageOf(reply: ScriptedReply, idPrefix: string): AIMessage {
  return new AIMessage({
    content: reply.text ?? "",
    tool_calls: (reply.calls ?? []).map((call, k) => ({
      type: "tool_call" as const,
      id: callId(idPrefix, k),
      name: call.name,
      args: { ...call.args },
    })),
  });
}

function nameOf(tool: unknown): string {
  const definition = tool as { readonly name?: string; readonly function?: { readonly name?: string } };
  return definition.function?.name ?? definition.name ?? "";
}
