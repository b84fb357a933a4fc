/**
 * A chat model that computes for some milliseconds per reply, for `--policy langchain`: it holds its thread as an embedded
 * model does. It says what the stand-in server says.
 */
import { BaseChatModel, type BaseChatModelCallOptions } from "@langchain/core/language_models/chat_models";
import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import type { ChatResult } from "@langchain/core/outputs";
import { standInReply } from "./stand-in-model.ts";

/** Of work that the machine does in about 5 ms; counted, not timed, so that two busy threads do not share one clock. */
const ROUNDS = Number(process.env.UMAGRAPH_BENCH_ROUNDS ?? 2_000_000);

class ComputingModel extends BaseChatModel<BaseChatModelCallOptions & { seed?: number }> {
  model = "computing";

  _llmType(): string {
    return "computing";
  }

  override bindTools(): this {
    return this;
  }

  async _generate(messages: BaseMessage[], options: { seed?: number }): Promise<ChatResult> {
    let x = (options.seed ?? 0) | 1;
    for (let i = 0; i < ROUNDS; i++) x = Math.imul(x ^ (x >>> 13), 0x5bd1e995);
    const { content, tool_calls: calls = [] } = standInReply({
      messages: messages.map((message) => ({ role: roles[message.getType()] ?? "tool", content: message.text })),
      ...(options.seed !== undefined && { seed: options.seed }),
    });
    const message = new AIMessage({
      content,
      // the work must not be optimised away
      response_metadata: { x },
      tool_calls: calls.map(({ id, function: { name, arguments: args } }) => ({
        ...{ id, name, type: "tool_call" as const },
        args: JSON.parse(args) as Record<string, unknown>,
      })),
    });
    return { generations: [{ text: content, message }] };
  }
}

const roles: Readonly<Record<string, string>> = { system: "system", human: "user", ai: "assistant" };

export const computing = new ComputingModel({});
