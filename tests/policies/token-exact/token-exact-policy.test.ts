import {
  AIMessage,
  HumanMessage,
  mapChatMessagesToStoredMessages,
  mapStoredMessagesToChatMessages,
  SystemMessage,
  ToolMessage,
} from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import { UmaError } from "../../../base/errors.ts";
import { tokensOf, tokenTurns } from "../../../policies/message-tokens.ts";
import type { ChatFormat } from "../../../policies/token-exact/chat-format.ts";
import { TokenExactChatModel } from "../../../policies/token-exact/token-exact-chat-model.ts";
import { tokenExactPolicy } from "../../../policies/token-exact/token-exact-policy.ts";
import type { TokenSampler } from "../../../policies/token-exact/token-sampler.ts";
import { policyContract } from "../../contracts/policy.ts";
import { memoryRequest, memoryTools, request } from "../requests.ts";
import { call, scriptedSampler } from "./scripted-sampler.ts";
import { forgetful, idOf, tiny, withTemplate } from "./tiny-format.ts";

const policyOver = (sampler: TokenSampler, format: ChatFormat = tiny, allowMixedWeights = false) =>
  tokenExactPolicy(new TokenExactChatModel({ name: "exact", sampler, format, allowMixedWeights }));

const end = idOf("<|im_end|>");
const add = call("memory_add", { title: "a", content: "b" });
const observed = (id: string, content: string) => new ToolMessage({ tool_call_id: id, content });

/** Replies by what was asked, so that it is stateless as the contract wants it. */
const playing = () =>
  scriptedSampler(({ promptIds }) => {
    const text = tiny.tokenizer.decode(promptIds);
    if (text.includes("<tool_response>")) return "Caroline went on 7 May 2023.";
    return text.includes("question") ? `Looking.\n${call("memory_list", {})}` : `${add}\n${call("memory_list", {})}`;
  });

policyContract("a token-exact policy", async () => ({ policy: policyOver(playing()) }));

describe("a reply", () => {
  it("carries what was given and sampled, untouched, and where its calls stand", async () => {
    const sampler = scriptedSampler([{ text: `Well.\n${add}\n${call("memory_list", {})}`, spelled: true }]);
    const given = memoryRequest("chunk");
    const sample = await policyOver(sampler).sample(given);
    const tokens = tokensOf(sample.message)!;
    const [sampled] = sampler.samples;
    expect(tokens).toMatchObject({ restart: true, weights: "w1" });
    expect(tokens.prompt).toEqual(sampler.requests[0]!.promptIds);
    expect(tokens.completion).toEqual(sampled!.ids);
    expect(Buffer.from(tokens.logprobs.buffer).equals(Buffer.from(sampled!.logprobs.buffer))).toBe(true);
    expect(tokens.calls.map(({ id }) => id)).toEqual(sample.calls.map(({ id }) => id));
    for (const [k, { start, end: stop }] of tokens.calls.entries()) {
      const text = tiny.tokenizer.decode(tokens.completion.subarray(start, stop));
      expect(text).toBe([add, call("memory_list", {})][k]);
    }
    expect(sample.text).toBe("Well.");
    expect(sample.usage).toEqual({ prompt: tokens.prompt.length, completion: tokens.completion.length });
    expect(sample.cut).toBeNull();
    expect(sampler.requests[0]).toMatchObject({ seed: 7, maxTokens: 4_000, stopIds: [end] });
  });

  it("that was cut gets no end token: the next prompt closes it", async () => {
    const sampler = scriptedSampler([add, "Done."]);
    const policy = policyOver(sampler);
    const given = memoryRequest("chunk", "", { maxTokens: 8 });
    const first = await policy.sample(given);
    expect(first.cut).toBe("length");
    expect(tokensOf(first.message)!.completion).toHaveLength(8);
    const [broken] = first.calls;
    expect(broken!.error).toMatch(/cut off/);
    await policy.sample({
      ...given,
      maxTokens: 99,
      messages: [...given.messages, first.message, observed(broken!.id, "no")],
    });
    const { promptIds } = sampler.requests[1]!;
    const before = sampler.requests[0]!.promptIds.length + 8;
    expect(promptIds.subarray(before - 8, before)).toEqual(sampler.samples[0]!.ids);
    expect(promptIds[before]).toBe(end);
  });

  it("whose end token the engine took off is closed as well", async () => {
    const sampler = scriptedSampler([{ text: add, unclosed: true }, "Done."]);
    const policy = policyOver(sampler);
    const given = memoryRequest("chunk");
    const first = await policy.sample(given);
    await policy.sample({ ...given, messages: [...given.messages, first.message, observed(first.calls[0]!.id, "ok")] });
    const at = sampler.requests[0]!.promptIds.length + sampler.samples[0]!.ids.length;
    expect(sampler.requests[1]!.promptIds[at]).toBe(end);
  });

  it("ends where it invents an observation; its tokens stay", async () => {
    const sampler = scriptedSampler([`${add}\n<tool_response>\nok\n</tool_response>`]);
    const { message, calls } = await policyOver(sampler).sample(memoryRequest("chunk"));
    expect(message.text).toBe(`${add}\n`);
    expect(calls).toHaveLength(1);
    expect(tokensOf(message)!.completion).toEqual(sampler.samples[0]!.ids);
  });

  it("with thoughts has its calls behind them", async () => {
    const sampler = scriptedSampler([`<think>\nI could <tool_call>.\n</think>\n\n${add}`]);
    const { message, calls, text } = await policyOver(sampler).sample(memoryRequest("chunk"));
    const [span] = tokensOf(message)!.calls;
    expect(tiny.tokenizer.decode(sampler.samples[0]!.ids.subarray(span!.start, span!.end))).toBe(add);
    expect([calls.length, text]).toEqual([1, ""]);
  });

  it("of nothing but an end token, or nothing at all, is an empty text", async () => {
    for (const unclosed of [false, true]) {
      const sample = await policyOver(scriptedSampler([{ text: "", unclosed }])).sample(memoryRequest("chunk"));
      expect(sample).toMatchObject({ text: "", calls: [], cut: null });
    }
  });
});

describe("the next prompt", () => {
  const opening = [new SystemMessage("Keep notes."), new HumanMessage("Read this.")];
  const first = async (policy = policyOver(scriptedSampler([add]))) =>
    (await policy.sample({ ...request(""), messages: opening, tools: memoryTools })).message;

  it("continues the ids, though the tools are taken away, and encodes only what is new", async () => {
    const message = await first();
    const sampler = scriptedSampler(["Done."]);
    const messages = [...opening, message, observed("c00000000", "Added."), new HumanMessage("Last turn.")];
    const sample = await policyOver(sampler).sample({ ...request(""), messages, tools: [] });
    const tokens = tokensOf(sample.message)!;
    expect(tokens.restart).toBe(false);
    expect(tiny.tokenizer.decode(tokens.prompt)).toBe(
      "\n<|im_start|>user\n<tool_response>\nAdded.\n</tool_response><|im_end|>\n<|im_start|>user\nLast turn.<|im_end|>\n<|im_start|>assistant\n",
    );
    const turns = tokenTurns([...messages, sample.message])!;
    expect(turns[1]!.prompt).toEqual(sampler.requests[0]!.promptIds);
  });

  it("is the same from messages that went through JSON", async () => {
    const stored = JSON.parse(
      JSON.stringify(mapChatMessagesToStoredMessages([...opening, await first(), observed("c00000000", "Added.")])),
    );
    const prompts = [];
    for (const messages of [
      mapStoredMessagesToChatMessages(stored),
      [...opening, await first(), observed("c00000000", "Added.")],
    ]) {
      const sampler = scriptedSampler(["Done."]);
      await policyOver(sampler).sample({ ...request(""), messages });
      prompts.push(sampler.requests[0]!.promptIds);
    }
    expect(prompts[0]).toEqual(prompts[1]);
  });

  it.each([
    ["a reply was edited", (reply: AIMessage) => [new AIMessage({ content: "", tool_calls: reply.tool_calls! })]],
    [
      "another policy made an earlier reply",
      (reply: AIMessage) => [new AIMessage("Hm."), new HumanMessage("?"), reply],
    ],
  ])("is written anew when %s, and the record says so", async (_what, change) => {
    const sampler = scriptedSampler(["Done."]);
    const messages = [...opening, ...change(await first()), observed("c00000000", "Added.")];
    const { message } = await policyOver(sampler).sample({ ...request(""), messages, tools: memoryTools });
    expect(tokensOf(message)).toMatchObject({ restart: true, prompt: sampler.requests[0]!.promptIds });
    expect(tiny.tokenizer.decode(sampler.requests[0]!.promptIds)).toContain("<tool_call>\n{");
  });

  it("is written anew when earlier messages were taken out", async () => {
    const sampler = scriptedSampler([add, "Done."]);
    const policy = policyOver(sampler);
    const one = await first(policy);
    const rest = [...opening, one, observed("c00000000", "Added.")];
    const two = (await policy.sample({ ...request(""), messages: rest })).message;
    const later = scriptedSampler(["Fine."]);
    const { message } = await policyOver(later).sample({
      ...request(""),
      messages: [...opening, two, new HumanMessage("?")],
    });
    expect(tokensOf(message)!.restart).toBe(true);
  });

  it("is written anew where the template drops thoughts, and only there", async () => {
    const format = withTemplate(forgetful);
    const restarts = async (reply: string, following: HumanMessage | ToolMessage) => {
      const sampler = scriptedSampler([reply, "Done."], { format });
      const policy = policyOver(sampler, format);
      const { message } = await policy.sample({ ...request(""), messages: opening });
      const next = await policy.sample({ ...request(""), messages: [...opening, message, following] });
      const text = format.tokenizer.decode(sampler.requests[1]!.promptIds);
      return [tokensOf(next.message)!.restart, text.includes("A thought.")];
    };
    const thought = "<think>\nA thought.\n</think>\n\nNoted.";
    expect(await restarts(thought, new HumanMessage("And?"))).toEqual([true, false]);
    expect(await restarts(thought, observed("c1", "one"))).toEqual([false, true]);
    expect(await restarts("Noted.", new HumanMessage("And?"))).toEqual([false, false]);
  });
});

describe("what cannot be sampled", () => {
  const failing = (fail: unknown): TokenSampler => ({
    weights: null,
    maxContext: null,
    sample: () => Promise.reject(fail),
  });

  it("is an error of the provider, whatever the sampler threw", async () => {
    const refused = new UmaError("input", "the prompt is too long", { fix: "shorten it" });
    for (const thrown of [new Error("broken pipe"), new UmaError("provider", "gone"), refused, "text"])
      await expect(policyOver(failing(thrown)).sample(memoryRequest())).rejects.toMatchObject({ code: "provider" });
    await expect(policyOver(failing(refused)).sample(memoryRequest())).rejects.toMatchObject({ fix: "shorten it" });
  });

  it.each([
    ["too few log-probabilities", { logprobs: new Float32Array(1) }, /2 tokens and 1 log-probabilities/],
    ["one that is none", { logprobs: Float32Array.of(-1, Number.NaN) }, /the log-probability NaN for token 1/],
    ["one above 0", { logprobs: Float32Array.of(0.5, -1) }, /the log-probability 0.5 for token 0/],
    ["an impossible id", { ids: Int32Array.of(3, -1) }, /the token id -1/],
  ])("%s is refused, not mended", async (_what, change, reason) => {
    const sampled = {
      ids: Int32Array.of(3, 4),
      logprobs: Float32Array.of(-1, -1),
      stop: "stop" as const,
      weights: null,
      ...change,
    };
    const sampler: TokenSampler = { weights: null, maxContext: null, sample: async () => sampled };
    await expect(policyOver(sampler).sample(memoryRequest())).rejects.toMatchObject({
      code: "provider",
      message: expect.stringMatching(reason),
    });
  });

  it("a reply is never longer than the context has room for, and a prompt that leaves none is said", async () => {
    const long = scriptedSampler(["x".repeat(4_000)], { maxContext: 2_000 });
    const sample = await policyOver(long).sample(memoryRequest());
    expect(sample.usage!.prompt + sample.usage!.completion).toBe(2_000);
    const short = scriptedSampler(["x"], { maxContext: 10 });
    await expect(policyOver(short).sample(memoryRequest())).rejects.toMatchObject({
      code: "input",
      message: expect.stringMatching(/the prompt has \d+ tokens, the model's context is 10/),
    });
    expect(short.requests).toHaveLength(0);
  });

  it("is cancelled while it is waited for", async () => {
    const controller = new AbortController();
    const sampler: TokenSampler = {
      weights: null,
      maxContext: null,
      sample: ({ signal }) =>
        new Promise((_, reject) => {
          signal!.addEventListener("abort", () => reject(new Error("aborted")));
          controller.abort();
        }),
    };
    await expect(policyOver(sampler).sample({ ...memoryRequest(), signal: controller.signal })).rejects.toMatchObject({
      code: "cancelled",
    });
  });
});

describe("weights", () => {
  const opening = [new HumanMessage("Read this.")];
  const ask = (messages: SampleMessages) => ({ ...request(""), messages });
  type SampleMessages = ReturnType<typeof request>["messages"];

  it("stay the same within a session, unless told otherwise", async () => {
    const old = await policyOver(scriptedSampler([add], { weights: "w1" })).sample(ask(opening));
    const messages = [...opening, old.message, observed("c00000000", "ok")];
    const newer = () => scriptedSampler(["Done."], { weights: "w2" });
    await expect(policyOver(newer()).sample(ask(messages))).rejects.toMatchObject({
      code: "conflict",
      message: expect.stringMatching(/weights "w1" and with "w2"/),
    });
    const mixed = await policyOver(newer(), tiny, true).sample(ask(messages));
    expect(tokenTurns([...messages, mixed.message])!.map(({ weights }) => weights)).toEqual(["w1", "w2"]);
    expect(policyOver(newer()).weights).toBe("w2");
  });

  it("that changed under a sampler are noticed", async () => {
    const sampler = { ...scriptedSampler(["x"], { weights: "w2" }), weights: "w1" };
    await expect(policyOver(sampler).sample(ask(opening))).rejects.toMatchObject({ code: "conflict" });
  });
});

describe("as a LangChain chat model", () => {
  const model = (reply: string) =>
    new TokenExactChatModel({ name: "exact", sampler: scriptedSampler([reply]), format: tiny });

  it("binds tools, and gives calls and unreadable calls where LangChain has them", async () => {
    const reply = await model(`${add}\n<tool_call>\n{"name": "memory_add", "arguments": 5}\n</tool_call>`)
      .bindTools([...memoryTools])
      .invoke("Read this.", { maxTokens: 100 });
    expect(reply.tool_calls).toMatchObject([{ name: "memory_add", args: { title: "a", content: "b" } }]);
    expect(reply.invalid_tool_calls).toMatchObject([
      { name: "memory_add", error: expect.stringMatching(/must be one JSON object/) },
    ]);
    expect(reply.response_metadata).toMatchObject({ finish_reason: "stop", model_name: "exact", weights: "w1" });
    expect(tokensOf(reply)!.calls).toHaveLength(2);
  });

  it("is seen by tracing, with its usage", async () => {
    const ends: unknown[] = [];
    await model("Hi.").invoke("Hello.", {
      maxTokens: 20,
      callbacks: [{ handleLLMEnd: (output) => void ends.push(output.llmOutput) }],
    });
    expect(ends).toMatchObject([{ tokenUsage: { completionTokens: expect.any(Number) } }]);
  });

  it("takes no stop sequences, and needs to know how much room there is", async () => {
    await expect(model("Hi.").invoke("Hello.", { stop: ["x"] })).rejects.toMatchObject({ code: "config" });
    await expect(model("Hi.").invoke("Hello.")).rejects.toThrow(/maxTokens of at least 1/);
  });
});
