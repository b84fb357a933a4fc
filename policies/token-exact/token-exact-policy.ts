/** A policy whose sessions are exact to the token, so that they can be trained on: any sampler with any chat format. */
import type { AIMessage } from "@langchain/core/messages";
import { UmaError } from "../../base/errors.ts";
import { cutOf } from "../cut-of.ts";
import { historyMessage } from "../history-message.ts";
import type { Policy } from "../policy.ts";
import { callIdPrefix } from "../tool-call-parsing/call-id.ts";
import { textOf } from "../tool-call-parsing/parse-native.ts";
import { readReply } from "./read-reply.ts";
import type { TokenExactChatModel } from "./token-exact-chat-model.ts";

export function tokenExactPolicy(model: TokenExactChatModel): Policy {
  const { name, sampler, format } = model.exact;
  return {
    name,
    scripted: false,
    weights: sampler.weights,
    countTokens: format.tokenizer.countTokens,
    async sample({ messages, tools, maxTokens, seed, signal, config }) {
      const stop = signal ?? config?.signal;
      if (stop?.aborted) throw new UmaError("cancelled", `${name}: cancelled before it began`);
      const reply: AIMessage = await model.invoke([...messages], {
        ...config,
        tools: tools as never,
        maxTokens,
        seed,
        ...(stop && { signal: stop }),
      });
      const said = textOf(reply);
      const { text, calls } = readReply(said, {
        tools: tools.map((tool) => tool.function.name),
        idPrefix: callIdPrefix(messages),
      });
      // every call stands in the history, also one that could not be read: its observation says so
      const message = historyMessage(reply, { content: said, calls });
      const { input_tokens: prompt, output_tokens: completion } = reply.usage_metadata!;
      return { message, text, calls, usage: { prompt, completion }, cut: cutOf(reply) };
    },
  };
}
