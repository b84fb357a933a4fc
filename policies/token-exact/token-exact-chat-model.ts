/**
 * A LangChain chat model over a token sampler: usable wherever LangChain takes one, and seen by its tracing.
 *
 * It keeps nothing between calls. A reply carries its token ids (message-tokens.ts); given back among the messages, the next
 * prompt continues them exactly. Tools are offered by the model's own chat template, calls are read from the completion.
 */
import {
  BaseChatModel,
  type BaseChatModelCallOptions,
  type BindToolsInput,
} from "@langchain/core/language_models/chat_models";
import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import type { ChatResult } from "@langchain/core/outputs";
import { convertToOpenAITool } from "@langchain/core/utils/function_calling";
import { messageOf, UmaError } from "../../base/errors.ts";
import type { ToolDefinition } from "../../tools/tool.ts";
import { historyCall } from "../history-message.ts";
import { withTokens } from "../message-tokens.ts";
import { callIdPrefix } from "../tool-call-parsing/call-id.ts";
import type { ChatFormat } from "./chat-format.ts";
import { nextPrompt } from "./next-prompt.ts";
import { callSpans, readReply, saidIn } from "./read-reply.ts";
import { checkSampled, type SampledTokens, type TokenSampler } from "./token-sampler.ts";
import { refuseMixedWeights } from "./weight-version.ts";

export interface TokenExactOptions {
  /** As in tables and records, e.g. "learner:tiny". */
  readonly name: string;
  readonly sampler: TokenSampler;
  readonly format: ChatFormat;
  /** Go on with a session although other weights sampled its earlier replies. */
  readonly allowMixedWeights?: boolean | undefined;
}

export interface TokenExactCallOptions extends BaseChatModelCallOptions {
  readonly tools?: readonly BindToolsInput[];
  /** 0 by default: the same prompt gives the same reply. */
  readonly seed?: number;
  /** Room for the completion; the rest of the context by default, which the sampler then has to know. */
  readonly maxTokens?: number;
}

export class TokenExactChatModel extends BaseChatModel<TokenExactCallOptions> {
  readonly exact: TokenExactOptions;

  constructor(options: TokenExactOptions) {
    super({});
    this.exact = options;
  }

  override _llmType(): string {
    return "token-exact";
  }

  override getLsParams(options: this["ParsedCallOptions"]) {
    return { ...super.getLsParams(options), ls_provider: "umagraph", ls_model_name: this.exact.name };
  }

  override bindTools(tools: BindToolsInput[], options: Partial<TokenExactCallOptions> = {}) {
    return this.withConfig({ ...options, tools });
  }

  /**
   * Throws `provider` when nothing could be sampled, `conflict` when other weights sampled earlier replies, `input` when the
   * prompt leaves no room, `cancelled` when the signal came first.
   */
  override async _generate(messages: BaseMessage[], options: this["ParsedCallOptions"]): Promise<ChatResult> {
    const { name, format, sampler, allowMixedWeights = false } = this.exact;
    if (options.signal?.aborted) throw cancelled(name);
    if (options.stop !== undefined && options.stop.length > 0)
      throw new UmaError("config", `${name}: a token-exact model ends with its end token only, got stop sequences`);
    const tools = definitionsOf(options.tools ?? []);
    const prompt = nextPrompt(messages, tools, format);
    if (!allowMixedWeights) refuseMixedWeights([...prompt.weights, sampler.weights], `${name}: a session`);

    const sampled = await sampleFrom(sampler, name, {
      promptIds: prompt.ids,
      maxTokens: roomFor(prompt.ids.length, options.maxTokens, sampler.maxContext, name),
      seed: options.seed ?? 0,
      stopIds: format.endIds,
      ...(options.signal && { signal: options.signal }),
    });
    checkSampled(sampled, name);
    if (!allowMixedWeights) refuseMixedWeights([sampler.weights, sampled.weights], name);
    const message = this.messageOf(sampled, messages, tools, prompt);
    return { generations: [{ text: message.text, message }], llmOutput: { tokenUsage: usageOf(message) } };
  }

  private messageOf(
    { ids, logprobs, stop, weights }: SampledTokens,
    messages: readonly BaseMessage[],
    tools: readonly ToolDefinition[],
    { restart, added, ids: promptIds }: ReturnType<typeof nextPrompt>,
  ): AIMessage {
    const { tokenizer, endIds } = this.exact.format;
    const ended = ids.length > 0 && endIds.includes(ids.at(-1)!);
    const said = saidIn(tokenizer.decode(ended ? ids.subarray(0, -1) : ids));
    const reply = readReply(said, {
      tools: tools.map((tool) => tool.function.name),
      idPrefix: callIdPrefix(messages),
    });
    const message = new AIMessage({
      content: said,
      tool_calls: reply.calls.filter((call) => call.error === null).map(historyCall),
      invalid_tool_calls: reply.calls
        .filter((call) => call.error !== null)
        .map(({ id, name, error }) => ({ type: "invalid_tool_call" as const, id, name, args: "", error: error! })),
      response_metadata: { finish_reason: stop, model_name: this.exact.name, ...(weights !== null && { weights }) },
      usage_metadata: {
        input_tokens: promptIds.length,
        output_tokens: ids.length,
        total_tokens: promptIds.length + ids.length,
      },
    });
    const calls = callSpans(reply, ids, tokenizer.decodeWithOffsets);
    return withTokens(message, { restart, prompt: added, completion: ids, logprobs, weights, calls });
  }
}

async function sampleFrom(sampler: TokenSampler, name: string, request: Parameters<TokenSampler["sample"]>[0]) {
  try {
    return await sampler.sample(request);
  } catch (thrown) {
    if (request.signal?.aborted) throw cancelled(name);
    if (thrown instanceof UmaError && (thrown.code === "provider" || thrown.code === "config")) throw thrown;
    throw new UmaError("provider", `${name}: nothing could be sampled: ${messageOf(thrown)}`, {
      ...(thrown instanceof UmaError && thrown.fix !== undefined && { fix: thrown.fix }),
      cause: thrown,
    });
  }
}

function roomFor(prompt: number, asked: number | undefined, context: number | null, name: string): number {
  const left = context === null ? Number.POSITIVE_INFINITY : context - prompt;
  if (left < 1)
    throw new UmaError("input", `${name}: the prompt has ${prompt} tokens, the model's context is ${context}`, {
      fix: "lower the budgets of the session (promptTokens, interactionTokens), or use a model with a longer context",
    });
  const room = Math.min(asked ?? Number.POSITIVE_INFINITY, left);
  if (Number.isInteger(room) && room >= 1) return room;
  throw new UmaError("config", `${name}: expected maxTokens of at least 1, got ${asked}`);
}

function usageOf({ usage_metadata: usage }: AIMessage) {
  return {
    promptTokens: usage?.input_tokens,
    completionTokens: usage?.output_tokens,
    totalTokens: usage?.total_tokens,
  };
}

const cancelled = (name: string) => new UmaError("cancelled", `${name}: cancelled while waiting for a reply`);

const known = new WeakMap<readonly unknown[], readonly ToolDefinition[]>();

/** The same list gives the same list, so that what is made of it is made once. */
function definitionsOf(tools: readonly BindToolsInput[]): readonly ToolDefinition[] {
  const definitions = known.get(tools) ?? tools.map((tool) => convertToOpenAITool(tool as never) as ToolDefinition);
  known.set(tools, definitions);
  return definitions;
}
