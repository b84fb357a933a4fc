/**
 * What a session needs of a policy π (UMA §2.2, Eq. 2): messages and tools in, one action out.
 *
 * Every policy is a LangChain chat model inside (`chat-model-policy.ts`), so any provider works; this interface is what is
 * left when provider differences are gone. A policy is stateless: all it may use is in the request.
 */
import type { AIMessage, BaseMessage } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import type { ParsedCall } from "../tools/call.ts";
import type { ToolDefinition } from "../tools/tool.ts";

export interface SampleRequest {
  readonly messages: readonly BaseMessage[];
  /** Tools that may be called in this turn; none on a session's last turn. */
  readonly tools: readonly ToolDefinition[];
  /** Room for the completion, in tokens of this policy's counter. */
  readonly maxTokens: number;
  /** Derived from (run, context, trajectory, stage, position, turn); engines that take seeds get it. */
  readonly seed: number;
  readonly signal?: AbortSignal;
  /** Tracing and streaming of the surrounding graph run. */
  readonly config?: RunnableConfig;
}

export interface Sample {
  /** What goes into the history. Its tool calls, if any, carry the ids of `calls`. */
  readonly message: AIMessage;
  /** The plain text of the reply, tool-call markup removed where it was understood. */
  readonly text: string;
  /** Every call that the reply holds or tried to hold; unreadable ones carry `error`. */
  readonly calls: readonly ParsedCall[];
  /** Tokens as the provider counted them; null when it did not say. */
  readonly usage: { readonly prompt: number; readonly completion: number } | null;
  /** Why the provider ended the reply before the model did; null when it did not, or did not say. */
  readonly cut: Cut | null;
}

/** `length` the token limit was reached · `content_filter` the provider's filter took the rest or all of it. */
export type Cut = "length" | "content_filter";

export interface Policy {
  /** As in tables and records, e.g. "openai:gpt-4o-mini" or "ledger-expert". */
  readonly name: string;
  /** True for deterministic, hand-written policies: shown as "no model" wherever they appear. */
  readonly scripted: boolean;
  /** Version of the weights, where there are any that change. */
  readonly weights: string | null;
  /** Tokens of a text, by the policy's own tokenizer or by the documented estimator. */
  readonly countTokens: (text: string) => number;
  /** Throws `UmaError("provider")` when no reply could be had; the session then ends as an event with an error. */
  sample(request: SampleRequest): Promise<Sample>;
  /** Lets go of what it holds at a server, for those who make many policies; a process that ends need not. */
  readonly close?: () => Promise<void>;
}

/** Enough to build the same policy in another process or thread; plain JSON. */
export interface PolicySpec {
  readonly policy: string;
  readonly model?: string;
  readonly baseURL?: string;
  readonly [option: string]: unknown;
}
