import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { afterEach, describe, expect, it, vi } from "vitest";
import { openaiPolicy } from "../../policies/openai.ts";
import type { OpenAIOptions } from "../../policies/policy-options.ts";
import { policyContract } from "../contracts/policy.ts";
import {
  type Answer,
  chatCompletionsServer,
  type RequestBody,
  type StandIn,
  toolCall,
} from "./chat-completions-server.ts";
import { memoryRequest, memoryTools, request } from "./requests.ts";

const open: StandIn[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});

async function served(
  answer: (body: RequestBody, index: number) => Answer | Promise<Answer>,
  options: OpenAIOptions = {},
) {
  const server = await chatCompletionsServer(answer);
  open.push(server);
  const policy = openaiPolicy({ model: "small", baseURL: server.url, retryBaseMs: 1, maxRetries: 2, ...options }, {});
  return { policy, server };
}

/** A careless model: calls with broken and unsuitable arguments first, then text. */
function careless(body: RequestBody): Answer {
  if (body.messages.some((message) => message.role === "tool"))
    return { message: { content: "Caroline went on 7 May 2023." } };
  return {
    message: {
      content: null,
      tool_calls: [
        toolCall("call_0", "memory_list", '{"filter": "Caroline"}'),
        toolCall("call_1", "memory_add", '{"title": "a", "content": "b",}'),
        toolCall("call_1", "memory_add", '{"title": "a", "content": "cut o'),
        toolCall(undefined, "memory_list", "[]"),
      ],
    },
  };
}

policyContract("openai", async () => {
  const { policy, server } = await served(careless);
  return { policy, close: server.close };
});
policyContract("openai, streamed", async () => {
  const { policy, server } = await served(careless, { streaming: true });
  return { policy, close: server.close };
});
policyContract("openai, hermes", async () => {
  const { policy, server } = await served(
    (body) =>
      body.messages.some((message) => String(message.content).startsWith("<tool_response>"))
        ? { message: { content: "Caroline went on 7 May 2023." } }
        : {
            message: {
              content: 'Let me see. <tool_call>{"name": "memory_list", "arguments": {}}</tool_call><tool_call>{"na',
            },
          },
    { format: "hermes" },
  );
  return { policy, close: server.close };
});

describe("what is sent", () => {
  const text = (): Answer => ({ message: { content: "ok" } });

  it("the tool definitions as they are, the room for the reply and the seed, for this call", async () => {
    const { policy, server } = await served(text, { temperature: 0.5, extra: { top_k: 20 } });
    await policy.sample(memoryRequest(undefined, "", { maxTokens: 321, seed: 99 }));
    expect(server.requests[0]).toMatchObject({
      model: "small",
      max_tokens: 321,
      seed: 99,
      temperature: 0.5,
      top_k: 20,
      tools: memoryTools,
      tool_choice: "auto",
    });
    await policy.sample(memoryRequest(undefined, "", { maxTokens: 5 }));
    expect(server.requests[1]?.max_tokens).toBe(5);
  });

  it("no tools and no tool choice on a turn without tools; a required call where that is set", async () => {
    const { policy, server } = await served(text, { toolChoice: "required" });
    await policy.sample(request("no tools"));
    await policy.sample(memoryRequest());
    expect(server.requests[0]).not.toHaveProperty("tools");
    expect(server.requests[0]).not.toHaveProperty("tool_choice");
    expect(server.requests[1]?.tool_choice).toBe("required");
  });

  it("max_completion_tokens to a reasoning model, and no seed where the server does not take one", async () => {
    const { policy, server } = await served(text, { model: "o3-mini", sendSeed: false });
    await policy.sample(request("hello", { maxTokens: 12 }));
    expect(server.requests[0]).toMatchObject({ max_completion_tokens: 12 });
    expect(server.requests[0]).not.toHaveProperty("max_tokens");
    expect(server.requests[0]).not.toHaveProperty("seed");
  });

  it("a history that servers accept: each call with valid JSON, each observation after its call", async () => {
    const { policy, server } = await served(careless);
    const opening = memoryRequest();
    const sample = await policy.sample(opening);
    const observations = sample.calls.map((call) => new ToolMessage({ tool_call_id: call.id, content: "seen" }));
    await policy.sample({ ...opening, messages: [...opening.messages, sample.message, ...observations] });
    const sent = server.requests[1]!.messages;
    const assistant = sent.find((message) => message.role === "assistant")!;
    expect(assistant.tool_calls).toHaveLength(4);
    for (const call of assistant.tool_calls!) {
      expect(JSON.parse(call.function.arguments as string)).toBeTypeOf("object");
      expect(call.function.name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
    }
    expect(assistant).not.toHaveProperty("function_call");
    const ids = assistant.tool_calls!.map((call) => call.id);
    expect(sent.filter((message) => message.role === "tool").map((message) => message.tool_call_id)).toEqual(ids);
    expect(new Set(ids).size).toBe(4);
  });

  it("well-formed text only: a lone surrogate in a message or an argument is replaced", async () => {
    const { policy, server } = await served(text);
    const message = new AIMessage({ content: "", tool_calls: [{ id: "a", name: "memory_list", args: {} }] });
    const messages = [
      new HumanMessage("half a \ud83d face"),
      message,
      new ToolMessage({ tool_call_id: "a", content: "\udc00" }),
    ];
    await policy.sample({ ...request(""), messages });
    expect(server.requests[0]!.messages.map((sent) => sent.content)).toEqual(["half a \ufffd face", "", "\ufffd"]);
    expect((messages[0] as HumanMessage).content).toBe("half a \ud83d face");
  });
});

describe("what comes back", () => {
  it("calls in the provider's order, readable or not, and nothing of them in the text", async () => {
    const { policy } = await served(careless);
    const { calls, text, message, usage } = await policy.sample(memoryRequest());
    expect(calls).toMatchObject([
      { id: "call_0", name: "memory_list", args: { filter: "Caroline" }, error: null, repaired: false },
      { id: "call_1", name: "memory_add", args: { title: "a", content: "b" }, error: null, repaired: true },
      { name: "memory_add", args: null, repaired: false },
      { name: "memory_list", args: null, repaired: false },
    ]);
    expect(calls[2]!.error).toMatch(/cut off in the middle of a string/);
    expect(calls[3]!.error).toMatch(/one JSON object.*a list/);
    expect(text).toBe("");
    expect(usage).toEqual({ prompt: 11, completion: 7 });
    expect(message.additional_kwargs.unread_calls).toMatchObject([
      { text: '{"title": "a", "content": "cut o' },
      { text: "[]" },
    ]);
  });

  it.each([
    ["invoke", false],
    ["stream", true],
  ])("arguments that are no object are an error, each in words (%s)", async (_way, streaming) => {
    const wrong = ["null", "[]", '"s"', "5", "true", "nonsense"];
    const { policy } = await served(
      () => ({
        message: { content: "", tool_calls: wrong.map((args, k) => toolCall(`call_${k}`, "memory_list", args)) },
      }),
      { streaming },
    );
    const { calls, text } = await policy.sample(memoryRequest());
    expect(calls.map((call) => call.args)).toEqual(wrong.map(() => null));
    for (const call of calls) expect(call.error).toMatch(/^the arguments must be one JSON object/);
    expect(text).toBe("");
  });

  it.each([
    ["invoke", false],
    ["stream", true],
  ])("an empty text for arguments is a call without any, as several servers write it (%s)", async (_way, streaming) => {
    const { policy } = await served(
      () => ({ message: { content: "", tool_calls: [toolCall("call_0", "memory_list", "")] } }),
      { streaming },
    );
    const { calls, text } = await policy.sample(memoryRequest());
    expect(calls).toMatchObject([{ id: "call_0", name: "memory_list", args: {}, error: null, repaired: true }]);
    expect(text).toBe("");
  });

  it.each([
    ["one that is null", [null], 1],
    ["one without a function", [{ id: "a", type: "function", function: null }], 1],
    ["one that is a text", ["memory_list"], 1],
    ["no list at all", { id: "a", function: null }, 1],
    ["one among good ones", [toolCall("x", "memory_list", "{}"), null, toolCall("y", "memory_list", "{}")], 3],
    ["an unreadable one beside one that is null", [toolCall("x", "memory_add", "{broken"), null], 2],
  ])("calls that are none do not vanish, and the text beside them is no core: %s", async (_what, given, count) => {
    const { policy } = await served(() => ({ message: { content: "The core.", tool_calls: given as never } }));
    const { calls, message } = await policy.sample(memoryRequest());
    expect(calls).toHaveLength(count);
    expect(calls.filter((call) => call.name === "memory_list")).toHaveLength(count === 3 ? 2 : 0);
    expect(calls[count === 3 ? 1 : 0]).toMatchObject({ args: null, error: expect.stringMatching(/^(expected a|the)/) });
    expect(message.tool_calls).toHaveLength(count);
  });

  it.each([
    ["one that is null", [null]],
    ["one without a function", [{ index: 0, id: "a", function: null }]],
    ["one that is a number", [7]],
  ])("nor do they in a stream: %s", async (_what, given) => {
    const deltas = [{ role: "assistant", content: "" }, { content: "The core." }, { tool_calls: given }];
    const { policy } = await served(() => ({ deltas, finish: "tool_calls" }), { streaming: true });
    const { calls } = await policy.sample(memoryRequest());
    expect(calls).toMatchObject([{ name: "", args: null }]);
  });

  it.each([
    ["length", "length", false],
    ["length", "length", true],
    ["content_filter", "content_filter", false],
    ["content_filter", "content_filter", true],
    ["stop", null, false],
    ["stop", null, true],
  ])("a finish reason of %s is a cut of %s (streaming: %s)", async (finish, cut, streaming) => {
    const { policy } = await served(() => ({ message: { content: "Half a" }, finish }), { streaming });
    expect(await policy.sample(request("x"))).toMatchObject({ text: "Half a", cut });
  });

  it("null content and a legacy function_call beside the calls: the calls count once", async () => {
    const { policy } = await served(() => ({
      message: {
        content: null,
        tool_calls: [toolCall("call_9", "memory_list", "{}")],
        function_call: { name: "memory_list:", arguments: "{}" },
      },
    }));
    const { calls, message } = await policy.sample(memoryRequest());
    expect(calls).toMatchObject([{ id: "call_9", name: "memory_list", args: {} }]);
    expect(message.additional_kwargs).not.toHaveProperty("function_call");
  });

  it("a legacy function_call alone is a call", async () => {
    const { policy } = await served(() => ({
      message: { content: null, function_call: { name: "memory_list:", arguments: '{"filter":"x"}' } },
    }));
    const { calls } = await policy.sample(memoryRequest());
    expect(calls).toMatchObject([{ name: "memory_list", args: { filter: "x" } }]);
  });

  it("ids that repeat an earlier turn's are replaced", async () => {
    const { policy } = await served(() => ({
      message: { content: "", tool_calls: [toolCall("call_0", "memory_list", "{}")] },
    }));
    const opening = memoryRequest();
    const first = await policy.sample(opening);
    const messages = [...opening.messages, first.message, new ToolMessage({ tool_call_id: "call_0", content: "[]" })];
    const second = await policy.sample({ ...opening, messages });
    expect(first.calls[0]!.id).toBe("call_0");
    expect(second.calls[0]!.id).toBe("c00010000");
    expect(second.message.tool_calls?.[0]?.id).toBe("c00010000");
  });

  it("calls that the server left in the text are calls, and thinking is neither text nor calls", async () => {
    const { policy } = await served(() => ({
      message: {
        content: '<think>maybe <tool_call></think>Looking.<tool_call>{"name":"memory_list","arguments":{}}</tool_call>',
      },
    }));
    const { calls, text } = await policy.sample(memoryRequest());
    expect(calls).toMatchObject([{ name: "memory_list", args: {}, repaired: false }]);
    expect(text).toBe("Looking.");
  });

  it("a reply that is the bare JSON of a known call is a repaired call; other JSON is text", async () => {
    const { policy } = await served((_body, index) => ({
      message: {
        content: index === 0 ? '{"name": "memory_list", "parameters": {}}' : '{"name": "Caroline", "arguments": 3}',
      },
    }));
    expect((await policy.sample(memoryRequest())).calls).toMatchObject([
      { name: "memory_list", args: {}, repaired: true },
    ]);
    const second = await policy.sample(memoryRequest());
    expect(second.calls).toEqual([]);
    expect(second.text).toBe('{"name": "Caroline", "arguments": 3}');
  });

  it("an empty message is a sample with empty text; no usage is null", async () => {
    const { policy, server } = await served(() => ({ message: { content: "" }, usage: false }));
    expect(await policy.sample(memoryRequest())).toMatchObject({ text: "", calls: [], usage: null });
    expect(server.requests).toHaveLength(1);
  });

  it("nobody is told to upgrade LangChain because a model wrote broken JSON", async () => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
    const { policy } = await served(() => ({
      message: { content: "", tool_calls: [toolCall("a", "memory_add", "{broken")] },
    }));
    await policy.sample(memoryRequest());
    expect(warn).not.toHaveBeenCalled();
    warn.mockRestore();
  });
});

describe("faults", () => {
  const ok: Answer = { message: { content: "fine" } };
  const then =
    (...answers: Answer[]) =>
    (_body: RequestBody, index: number) =>
      answers[Math.min(index, answers.length - 1)]!;
  const error = (status: number, message: string, headers?: Record<string, string>): Answer => ({
    status,
    body: { error: { message, type: "some_error" } },
    ...(headers ? { headers } : {}),
  });

  const passing: [string, Answer][] = [
    ["429 with Retry-After", error(429, "slow down", { "retry-after": "0.02" })],
    ["500", error(500, "oops")],
    ["503 in HTML", { status: 503, body: "<html>busy</html>" }],
    ["408", error(408, "timeout")],
    ["409", error(409, "conflict")],
    ["a connection that is reset", "reset"],
    ["half a body", "truncate"],
    ["HTML with status 200", { html: "<html><body>Welcome to the hotel network</body></html>" }],
    ["a body without choices", { json: { id: "x", object: "chat.completion" } }],
    ["an empty list of choices", { json: { id: "x", choices: [] } }],
    ["no reply in time", "hang"],
  ];
  it.each(passing)("%s passes by a retry", async (_name, fault) => {
    const { policy, server } = await served(then(fault, ok), { timeoutMs: fault === "hang" ? 500 : 5_000 });
    expect((await policy.sample(request("hello"))).text).toBe("fine");
    expect(server.requests).toHaveLength(2);
  });

  it.each(passing)(
    "%s for ever is a provider error after the retries, not an exception of some library",
    async (_name, fault) => {
      const { policy, server } = await served(then(fault), { timeoutMs: fault === "hang" ? 250 : 5_000 });
      await expect(policy.sample(request("hello"))).rejects.toMatchObject({
        name: "UmaError",
        code: "provider",
        message: expect.stringMatching(/^openai:small: .*\(3 attempts\)$/s),
      });
      expect(server.requests).toHaveLength(3);
    },
  );

  it.each<[string, Answer, string]>([
    ["HTML", { html: "<html><body>Welcome to the hotel network</body></html>" }, "Welcome to the hotel network"],
    [
      "an error in a body with status 200",
      { json: { error: { message: "no such deployment" } } },
      "no such deployment",
    ],
  ])("%s instead of a completion is quoted in the error", async (_name, fault, quoted) => {
    const { policy } = await served(then(fault));
    await expect(policy.sample(request("hello"))).rejects.toThrow(quoted);
  });

  it.each<[string, Answer, RegExp, RegExp]>([
    ["400", error(400, "tool_calls must be followed by tool messages"), /must be followed/, /^$/],
    ["401", error(401, "Incorrect API key provided"), /refused the key.*Incorrect API key/, /OPENAI_API_KEY/],
    ["403", error(403, "not allowed"), /refused the key/, /OPENAI_API_KEY/],
    ["404", error(404, "model not found"), /no such model as "small"/, /OPENAI_MODEL and OPENAI_BASE_URL/],
    [
      "a prompt that is too long",
      error(400, "This model's maximum context length is 8192 tokens"),
      /longer than the model's context/,
      /budget/,
    ],
    [
      "a used-up quota",
      { status: 429, body: { error: { message: "quota", code: "insufficient_quota" } } },
      /quota/,
      /^$/,
    ],
  ])("%s is said at once, with what to do", async (_name, fault, message, fix) => {
    const { policy, server } = await served(then(fault));
    const thrown = await policy
      .sample(request("hello"))
      .catch((caught: unknown) => caught as { message: string; fix?: string });
    expect(thrown).toMatchObject({ code: "provider", message: expect.stringMatching(message) });
    expect((thrown as { message: string }).message).not.toMatch(/\n|Troubleshooting/); // the library's own additions
    expect((thrown as { fix?: string }).fix ?? "").toMatch(fix);
    expect(server.requests).toHaveLength(1);
  });

  it("a server that is not there: the error names the URL and the variable", async () => {
    const { policy, server } = await served(() => ok, { maxRetries: 1 });
    await server.close();
    await expect(policy.sample(request("hello"))).rejects.toMatchObject({
      message: expect.stringContaining(`nothing answers at ${server.url} (ECONNREFUSED) (2 attempts)`),
      fix: expect.stringContaining("OPENAI_BASE_URL"),
    });
  });

  it("a stream that is cut passes by a retry, and is an error with what came when it stays so", async () => {
    const cut: Answer = { deltas: [{ role: "assistant", content: "" }, { content: "The answer is" }], finish: null };
    const passing = await served(then(cut, ok), { streaming: true });
    expect((await passing.policy.sample(request("hello"))).text).toBe("fine");
    const failing = await served(then(cut), { streaming: true });
    await expect(failing.policy.sample(request("hello"))).rejects.toThrow(
      /cut off after: The answer is.*\(3 attempts\)/s,
    );
  });

  it("HTML to a request for a stream is an error too", async () => {
    const { policy } = await served(then({ html: "<html></html>" }), { streaming: true, maxRetries: 0 });
    await expect(policy.sample(request("hello"))).rejects.toMatchObject({ code: "provider" });
  });

  it("cancelling ends a request that hangs, and a wait, at once", async () => {
    for (const fault of ["hang", error(429, "slow down", { "retry-after": "50" })] as Answer[]) {
      const { policy } = await served(then(fault));
      const controller = new AbortController();
      const running = policy.sample(request("hello", { signal: controller.signal }));
      setTimeout(() => controller.abort(), 60);
      await expect(running).rejects.toMatchObject({ code: "cancelled" });
    }
  });

  it("no more requests at once than allowed", async () => {
    const slow = async (): Promise<Answer> => {
      await new Promise((resolve) => setTimeout(resolve, 15));
      return ok;
    };
    const { policy, server } = await served(slow, { concurrency: 2 });
    await Promise.all(Array.from({ length: 7 }, (_, seed) => policy.sample(request("hello", { seed }))));
    expect(server.requests).toHaveLength(7);
    expect(server.mostAtOnce()).toBe(2);
  });
});

describe("configuration", () => {
  it("needs a key for OpenAI itself, and says so before anything is sent", () => {
    expect(() => openaiPolicy({ model: "gpt-4o-mini" }, {})).toThrow(/needs a key/);
    expect(openaiPolicy({ model: "gpt-4o-mini" }, { OPENAI_API_KEY: "k" }).name).toBe("openai:gpt-4o-mini");
  });

  it("needs no key for another server, takes the variables, and prefers the options", async () => {
    const server = await chatCompletionsServer(() => ({ message: { content: "ok" } }));
    open.push(server);
    const env = { OPENAI_BASE_URL: server.url, OPENAI_MODEL: "from-env" };
    expect(openaiPolicy({}, env).name).toBe("openai:from-env");
    await openaiPolicy({ model: "from-option" }, env).sample(request("hello"));
    expect(server.requests[0]?.model).toBe("from-option");
  });

  it("needs the name of a model", () => {
    expect(() => openaiPolicy({}, { OPENAI_API_KEY: "k" })).toThrow(/name of a model/);
  });
});
