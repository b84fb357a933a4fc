/** Whether a provider ended a reply before the model did, read from the finish reason under the names that providers give it. */
import type { BaseMessage } from "@langchain/core/messages";
import type { Cut } from "./policy.ts";

/** OpenAI and most others, Anthropic, Google, Ollama; a streamed reason may come twice and is then written twice in a row. */
const REASON_KEYS = ["finish_reason", "stop_reason", "finishReason", "stopReason", "done_reason"];

const LENGTH = /^(?:length|max_(?:output_|completion_)?tokens|model_length|model_context_window_exceeded)/i;
const FILTERED =
  /^(?:content_filter|refusal|safety|recitation|blocklist|prohibited_content|spii|image_safety|guardrail_intervened)/i;

export function cutOf(reply: BaseMessage): Cut | null {
  const told = (reply.response_metadata ?? {}) as Record<string, unknown>;
  const incomplete = told.incomplete_details as { readonly reason?: unknown } | null | undefined;
  for (const reason of [...REASON_KEYS.map((key) => told[key]), incomplete?.reason]) {
    if (typeof reason !== "string") continue;
    if (LENGTH.test(reason)) return "length";
    if (FILTERED.test(reason)) return "content_filter";
  }
  return null;
}
