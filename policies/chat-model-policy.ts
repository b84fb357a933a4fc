/**
 * A policy made of any LangChain chat model: what differs between providers ends here (decisions §7).
 *
 * `native`: the model's own tool calling, with the tool definitions as they are. `hermes`: tools and calls as text, for
 * models and servers without it. Either way every call that the reply holds or tried to hold comes out as a `ParsedCall`.
 * A reply with neither text nor calls is a `Sample` with empty text; the session decides what that means.
 */
import type { BaseChatModel, BindToolsInput } from "@langchain/core/language_models/chat_models";
import type { AIMessage, AIMessageChunk, BaseMessage } from "@langchain/core/messages";
import type { Runnable } from "@langchain/core/runnables";
import { UmaError } from "../base/errors.ts";
import type { ToolDefinition } from "../tools/tool.ts";
import { concurrencyLimit } from "./concurrency-limit.ts";
import { cutOf } from "./cut-of.ts";
import { hermesMessages, OBSERVATION_TAG } from "./hermes-format.ts";
import { historyMessage, sendable } from "./history-message.ts";
import type { Policy, Sample, SampleRequest } from "./policy.ts";
import { type Endpoint, UnusableReply } from "./provider-failure.ts";
import { type RetryOptions, withRetry } from "./retry.ts";
import { estimateTokens } from "./token-estimator.ts";
import { callIdPrefix } from "./tool-call-parsing/call-id.ts";
import { parseBareCall } from "./tool-call-parsing/parse-bare-call.ts";
import { parseHermes } from "./tool-call-parsing/parse-hermes.ts";
import { parseNative, textOf } from "./tool-call-parsing/parse-native.ts";
import { withoutThinking } from "./tool-call-parsing/without-thinking.ts";

export interface ChatModelPolicyOptions {
  /** As in tables and records, e.g. "openai:gpt-4o-mini". */
  readonly name: string;
  /** `native` by default. */
  readonly format?: "native" | "hermes";
  readonly scripted?: boolean;
  /** The model's tokenizer; without it the estimator counts. */
  readonly countTokens?: (text: string) => number;
  readonly weights?: string | null;
  readonly retry?: RetryOptions;
  /** `required` makes the model call a tool in every turn that has tools. Native format only. */
  readonly toolChoice?: "auto" | "required";
  /** Ask for streamed replies even when nothing listens; some servers drop long silent connections. */
  readonly streaming?: boolean;
  /** How many requests may run at once. */
  readonly concurrency?: number;
  /** What the user set, for error sentences. */
  readonly endpoint?: Endpoint;
}

export function chatModelPolicy(model: BaseChatModel, options: ChatModelPolicyOptions): Policy {
  const { name, format = "native", toolChoice = "auto", retry = {}, endpoint = {} } = options;
  if (format === "native" && typeof model.bindTools !== "function")
    throw new UmaError("config", `${name}: this chat model has no tool calling of its own (no bindTools)`, {
      fix: "use the hermes format, which writes tool calls as text",
    });
  const bound = toolBinding(model, toolChoice === "required" ? "any" : "auto");
  const limit = options.concurrency === undefined ? null : concurrencyLimit(options.concurrency);

  const ask = async (request: SampleRequest, signal: AbortSignal | undefined): Promise<BaseMessage> => {
    const hermes = format === "hermes";
    const runnable: ChatRunnable =
      hermes || request.tools.length === 0 ? (model as ChatRunnable) : bound(request.tools);
    const messages = sendable(hermes ? hermesMessages(request.messages, request.tools) : request.messages);
    const callOptions = {
      ...request.config,
      seed: request.seed,
      // providers read the one or the other; a model that reads neither keeps its own setting
      maxTokens: request.maxTokens,
      max_tokens: request.maxTokens,
      ...(hermes ? { stop: [OBSERVATION_TAG] } : {}),
      ...(signal ? { signal } : {}),
    };
    return options.streaming
      ? collect(await runnable.stream(messages, callOptions))
      : runnable.invoke(messages, callOptions);
  };

  return {
    name,
    scripted: options.scripted ?? false,
    weights: options.weights ?? null,
    countTokens: options.countTokens ?? estimateTokens,
    async sample(request) {
      const reply = await withRetry((signal) => ask(request, signal), {
        ...retry,
        name,
        endpoint,
        seed: request.seed,
        signal: request.signal ?? request.config?.signal,
        acquire: limit?.acquire,
      });
      return format === "hermes" ? hermesSample(reply, request) : nativeSample(reply, request);
    },
  };
}

type ChatRunnable = Runnable<BaseMessage[], AIMessageChunk>;

/** The model with the tools bound, made once per list of tools. */
function toolBinding(model: BaseChatModel, toolChoice: string): (tools: readonly ToolDefinition[]) => ChatRunnable {
  const byList = new WeakMap<readonly ToolDefinition[], ChatRunnable>();
  const byContent = new Map<string, ChatRunnable>();
  return (tools) => {
    const known = byList.get(tools);
    if (known) return known;
    const content = JSON.stringify(tools);
    const runnable =
      byContent.get(content) ??
      (model.bindTools!([...tools] as BindToolsInput[], { tool_choice: toolChoice } as never) as ChatRunnable);
    // a handful of tool lists exist; the bound only guards against a caller that makes up new ones for ever
    if (byContent.size >= 16) byContent.clear();
    byContent.set(content, runnable);
    byList.set(tools, runnable);
    return runnable;
  };
}

async function collect(stream: AsyncIterable<AIMessageChunk>): Promise<AIMessageChunk> {
  let whole: AIMessageChunk | null = null;
  for await (const chunk of stream) whole = whole ? whole.concat(chunk) : chunk;
  if (!whole) throw new UnusableReply("the stream ended before it began");
  return whole;
}

function nativeSample(reply: BaseMessage, request: SampleRequest): Sample {
  const idPrefix = callIdPrefix(request.messages);
  const parsed = parseNative(reply as AIMessage, { idPrefix, taken: idsIn(request.messages) });
  const bare = parsed.calls.length > 0 ? [] : parseBareCall(parsed.text, { tools: namesOf(request), idPrefix });
  const calls = bare.length > 0 ? bare : parsed.calls;
  const text = bare.length > 0 ? "" : parsed.text;
  // parts hold signed thoughts that some providers want back; they name the calls, so they are kept only when those kept their ids
  const parts = Array.isArray(reply.content) && !("output_version" in reply.response_metadata) ? reply.content : null;
  const own = new Set((reply as AIMessage).tool_calls?.map((call) => call.id));
  const keepsParts = parts !== null && calls.every((call) => call.error === null && own.has(call.id));
  const message = historyMessage(reply, { content: keepsParts ? parts : text, calls, unread: parsed.unread });
  return { message, text, calls, usage: usageOf(reply), cut: cutOf(reply) };
}

function hermesSample(reply: BaseMessage, request: SampleRequest): Sample {
  const idPrefix = callIdPrefix(request.messages);
  const raw = textOf(reply);
  // what follows an invented observation was not said to us; the stop sequence ends it there where the server knows it
  const invented = raw.indexOf(OBSERVATION_TAG);
  const said = invented < 0 ? raw : raw.slice(0, invented);
  const parsed = parseHermes(withoutThinking(said), { idPrefix });
  const bare = parsed.calls.length > 0 ? [] : parseBareCall(parsed.text, { tools: namesOf(request), idPrefix });
  const calls = bare.length > 0 ? bare : parsed.calls;
  const message = historyMessage(reply, { content: said, calls });
  return { message, text: bare.length > 0 ? "" : parsed.text, calls, usage: usageOf(reply), cut: cutOf(reply) };
}

const namesOf = (request: SampleRequest) => request.tools.map((tool) => tool.function.name);

function idsIn(messages: readonly BaseMessage[]): Set<string> {
  const ids = messages.flatMap((message) => (message as AIMessage).tool_calls?.map((call) => call.id ?? "") ?? []);
  return new Set(ids);
}

function usageOf(reply: BaseMessage): Sample["usage"] {
  const usage = (reply as AIMessage).usage_metadata;
  if (typeof usage?.input_tokens !== "number" || typeof usage.output_tokens !== "number") return null;
  return { prompt: usage.input_tokens, completion: usage.output_tokens };
}
