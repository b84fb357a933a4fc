/**
 * Token exactness travels on the messages (contracts §4): an assistant message of a token-exact policy carries what was
 * given, what was sampled and how likely it was.
 *
 * The next call takes the ids of everything so far from them and encodes only what is new, and the session's record is
 * made from them, so nothing that was sampled is ever encoded again. Ids are kept as text (base64, little-endian), which
 * every checkpoint and every worker message carries unchanged.
 */
import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import { z } from "zod";
import { UmaError } from "../base/errors.ts";
import { fromBase64, toBase64 } from "../base/typed-array-text.ts";
import type { TurnTokens } from "./token-trace.ts";

/** Where one tool call stands in a completion: [start, end) of its tokens. */
export const CallSpan = z.object({ id: z.string(), start: z.int().min(0), end: z.int().min(0) });
export type CallSpan = z.infer<typeof CallSpan>;

export interface MessageTokens {
  /** True when the model was given `prompt` alone, and not after all ids of the turns before. */
  readonly restart: boolean;
  /** Ids that were given since the last completion; with `restart` all of them. */
  readonly prompt: Int32Array;
  /** Ids that were sampled. */
  readonly completion: Int32Array;
  /** log π of each of them under the distribution it was drawn from, in nats. */
  readonly logprobs: Float32Array;
  /** Version of the weights that sampled it. */
  readonly weights: string | null;
  readonly calls: readonly CallSpan[];
}

const KEY = "umagraph_tokens";

const Carried = z.object({
  restart: z.boolean(),
  prompt: z.base64(),
  completion: z.base64(),
  logprobs: z.base64(),
  weights: z.string().nullable(),
  calls: z.array(CallSpan),
});

/** The same message, carrying the tokens. */
export function withTokens(message: AIMessage, tokens: MessageTokens): AIMessage {
  const { restart, prompt, completion, logprobs, weights, calls } = tokens;
  const carried: z.infer<typeof Carried> = {
    restart,
    prompt: toBase64(prompt),
    completion: toBase64(completion),
    logprobs: toBase64(logprobs),
    weights,
    calls: [...calls],
  };
  const { id, content, tool_calls, invalid_tool_calls, usage_metadata, response_metadata, additional_kwargs } = message;
  return new AIMessage({
    content,
    response_metadata,
    additional_kwargs: { ...additional_kwargs, [KEY]: carried },
    ...(id !== undefined && { id }),
    ...(tool_calls && { tool_calls }),
    ...(invalid_tool_calls && { invalid_tool_calls }),
    ...(usage_metadata && { usage_metadata }),
  });
}

/** Null for a message of a policy that is not token-exact. Throws `input` for tokens that were damaged on the way. */
export function tokensOf(message: BaseMessage): MessageTokens | null {
  const carried = message.additional_kwargs?.[KEY];
  if (carried === undefined || message.getType() !== "ai") return null;
  const parsed = Carried.safeParse(carried);
  if (!parsed.success)
    throw new UmaError("input", `message ${message.id ?? "(unnamed)"}: its token ids are damaged`, {
      fix: "keep additional_kwargs of assistant messages as the policy made them",
    });
  const { prompt, completion, logprobs, ...rest } = parsed.data;
  return {
    ...rest,
    prompt: fromBase64(prompt, Int32Array),
    completion: fromBase64(completion, Int32Array),
    logprobs: fromBase64(logprobs, Float32Array),
  };
}

/** One token-exact policy call of a history, with all that the model was given. */
export interface HistoryTurn extends TurnTokens, Pick<MessageTokens, "weights" | "calls"> {
  /** 0-based among the assistant messages. */
  readonly turn: number;
}

/**
 * The turns of a history in order. Null when an assistant message carries no tokens: then nothing of it is token-exact,
 * and nothing is made up.
 */
export function tokenTurns(messages: readonly BaseMessage[]): HistoryTurn[] | null {
  const turns: HistoryTurn[] = [];
  let soFar = new Int32Array(0);
  for (const message of messages) {
    if (message.getType() !== "ai") continue;
    const tokens = tokensOf(message);
    if (tokens === null) return null;
    const prompt = tokens.restart ? tokens.prompt : concat(soFar, tokens.prompt);
    soFar = concat(prompt, tokens.completion);
    const { completion, logprobs, weights, calls } = tokens;
    turns.push({ turn: turns.length, prompt, completion, logprobs, weights, calls });
  }
  return turns.length === 0 ? null : turns;
}

function concat(a: Int32Array, b: Int32Array): Int32Array<ArrayBuffer> {
  const joined = new Int32Array(a.length + b.length);
  joined.set(a);
  joined.set(b, a.length);
  return joined;
}
