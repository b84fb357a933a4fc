/** The default rules of decisions §5, each as a whole session shows it. tests/tools has those of one turn's execution, tests/graphs rule 7. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { emptyBank, getEntry } from "../../../memory/bank.ts";
import { lastTurnNotice, noToolsLeft } from "../../../nodes/session/notices.ts";
import { noRoom } from "../../../tools/execute-calls.ts";
import { toolsets } from "../../../tools/toolsets.ts";
import { add, list, playing, read, remove, type Step, update } from "../../support/scripts.ts";
import { type SessionSetting, throughLoop } from "../../support/sessions.ts";
import { bankOf, smallSource } from "../../support/worlds.ts";

const endOf = async (steps: readonly Step[], setting?: SessionSetting) => {
  const policy = playing(steps);
  return { policy, ...(await throughLoop(policy, setting)) };
};

describe("rule 1: guarded commit", () => {
  it("plain text becomes the core, trimmed", async () => {
    const { record, state } = await endOf([{ text: "\n The new core. " }]);
    expect(record.core).toEqual({ before: "the old core", after: "The new core.", committed: true, kept: null });
    expect(state.outcome).toEqual({ end: "text", text: "The new core.", refused: null, error: null });
  });

  it.each([
    ["an empty text", "", "the reply was empty"],
    ["blanks", " \n\t ", "the reply was empty"],
    ["an unclosed tool call", 'Core.<tool_call>{"name": "memory_add"', "the reply held tool-call markup"],
    ["a closing tag alone", "</tool_call> core", "the reply held tool-call markup"],
    ["the injected notice", lastTurnNotice("memory"), "the reply repeated a sentence of the session"],
    [
      "the notice within other words",
      `Core. ${lastTurnNotice("qa")} More.`,
      "the reply repeated a sentence of the session",
    ],
    [
      "the notice with other blanks",
      lastTurnNotice("memory").replaceAll(" ", "\n "),
      "the reply repeated a sentence of the session",
    ],
    ["a refusal", `${noToolsLeft}`, "the reply repeated a sentence of the session"],
    ["a left-out observation", `x ${noRoom}`, "the reply repeated a sentence of the session"],
  ])("%s never replaces the core: the old one stays and the record says why", async (_what, text, why) => {
    const { record, state } = await endOf([{ text }]);
    expect(record.end).toBe("text");
    expect(record.core).toEqual({ before: "the old core", after: "the old core", committed: false, kept: why });
    expect(state.outcome?.text).toBeNull();
  });

  it("the same texts are no answer either", async () => {
    const input = { stage: "qa" as const, focus: "Who?" };
    expect((await endOf([{ text: "" }], { input })).record.answer).toBeNull();
    expect((await endOf([{ text: "<tool_call>" }], { input })).record.answer).toBeNull();
    expect((await endOf([{ text: lastTurnNotice("qa") }], { input })).record.answer).toBeNull();
    expect((await endOf([{ text: "\\boxed{Ada}" }], { input })).record).toMatchObject({
      answer: "\\boxed{Ada}",
      core: null,
    });
  });

  it("an over-long call that could not be read does not end the session, let alone wipe the core", async () => {
    const unreadable = { name: "", args: null, error: "The call is cut off: it ends within a string." };
    const { record } = await endOf([{ calls: [unreadable] }, { text: "Core." }]);
    expect(record.calls).toMatchObject([{ verdict: "invalid", observation: unreadable.error }]);
    expect(record.core?.after).toBe("Core.");
  });

  it("text beside a call is not the core", async () => {
    const { record } = await endOf([{ text: "This is no core.", calls: [list()] }, { text: "Core." }]);
    expect(record.core?.after).toBe("Core.");
  });

  it("what was written to the bank stays when the core is refused", async () => {
    const { record, bank } = await endOf([{ calls: [add("a", "1")] }, { text: "" }]);
    expect(record.core?.committed).toBe(false);
    expect(getEntry(bank(), "a")?.content).toBe("1");
  });
});

describe("rule 2: hard limits", () => {
  // one token per character: SYSTEM 6, tags of the two sections 45 in phase I, no tools
  const noTools = { toolset: { name: "none", tools: [] } };
  const fixed = "SYSTEM".length + "<core_memory>\n\n</core_memory><chunk>\n\n</chunk>".length;
  const prompt = (record: { messages: readonly { text: string }[] }) => record.messages[1]!.text;

  it("a prompt that fits is left as it is, and its tokens are counted exactly", async () => {
    const { record } = await endOf([{ text: "x" }], { ...noTools, input: { core: "CORE", focus: "CHUNK" } });
    expect(prompt(record)).toBe("<core_memory>\nCORE\n</core_memory><chunk>\nCHUNK\n</chunk>");
    expect(record.tokens.prompt).toBe(fixed + 9);
    expect(record.tokens.prompt).toBe(record.messages[0]!.text.length + prompt(record).length);
    expect(record.truncated).toEqual({ core: 0, focus: 0, context: 0 });
  });

  it("tool specs count as part of the prompt", async () => {
    const { record } = await endOf([{ text: "x" }], { input: { core: "", focus: "" } });
    const { offerOf } = await import("../../../tools/toolsets.ts");
    expect(record.tokens.prompt).toBe(fixed + offerOf(toolsets.paper, "memory").spec.length);
  });

  it("the core is cut first, from its left", async () => {
    const { record } = await endOf([{ text: "x" }], {
      ...noTools,
      limits: { promptTokens: fixed + 100 },
      input: { core: "0123456789".repeat(3), focus: "c".repeat(90) },
    });
    expect(prompt(record)).toContain(`\n0123456789\n</core_memory><chunk>\n${"c".repeat(90)}\n`);
    expect(record.truncated).toEqual({ core: 20, focus: 0, context: 0 });
    expect(record.tokens.prompt).toBe(fixed + 100);
    expect(record.core?.before).toBe("0123456789".repeat(3));
  });

  it("then the chunk, from its left: its end is always there", async () => {
    const { record } = await endOf([{ text: "x" }], {
      ...noTools,
      limits: { promptTokens: fixed + 100 },
      input: { core: "core", focus: `${"a".repeat(60)}${"z".repeat(100)}` },
    });
    expect(prompt(record)).toBe(`<core_memory>\n\n</core_memory><chunk>\n${"z".repeat(100)}\n</chunk>`);
    expect(record.truncated).toEqual({ core: 4, focus: 60, context: 0 });
  });

  it("given context is cut after the core and before the question, which is never cut", async () => {
    const setting: SessionSetting = {
      ...noTools,
      promptUse: "rag",
      limits: { promptTokens: 256 },
      input: { stage: "qa", core: "core", context: `${"old ".repeat(100)}new`, focus: "Who was it?" },
    };
    const { record } = await endOf([{ text: "x" }], setting);
    expect(prompt(record)).toMatch(
      /^<context>\n(ld |d | )?(old )+new\n<\/context><question>\nWho was it\?\n<\/question>$/,
    );
    expect(record.tokens.prompt).toBe(256);
    expect(record.truncated.core).toBe(4);
    expect(record.truncated.context).toBe(
      403 - (256 - "SYSTEM".length - "<context>\n\n</context><question>\n\n</question>".length - 11),
    );
  });

  it("a question that does not fit, or no room for a chunk to speak of, is an error that names the numbers", async () => {
    const long = await endOf([], {
      ...noTools,
      limits: { promptTokens: 256 },
      input: { stage: "qa", focus: "q".repeat(300) },
    });
    expect(long.record).toMatchObject({ end: "error", turns: 0, error: { boundary: "budget", code: "config" } });
    expect(long.record.error?.message).toMatch(/^the question takes 300 tokens, the prompt budget has room for \d+$/);
    const tight = await endOf([], { limits: { promptTokens: 256 }, input: { focus: "c".repeat(300) } });
    expect(tight.record.error?.message).toBe("the chunk needs 64 tokens, the prompt budget has room for 0");
    expect(tight.record.core?.after).toBe("the old core");
    expect(long.policy.requests).toEqual([]);
  });

  it("a chunk is never cut inside a grapheme", async () => {
    const family = "👩‍👩‍👧‍👦";
    for (let more = 64; more < 64 + family.length * 2; more++) {
      const { record } = await endOf([{ text: "x" }], {
        ...noTools,
        limits: { promptTokens: fixed + more },
        input: { core: "", focus: family.repeat(40) },
      });
      const [, kept = ""] = /<chunk>\n([\s\S]*)\n<\/chunk>$/.exec(prompt(record))!;
      expect(kept).toBe(family.repeat(Math.floor(more / family.length)));
    }
  });

  const notice = lastTurnNotice("memory").length;
  /** interaction 2,000 → 500 kept for the last reply, beside the notice. */
  const limits = { interactionTokens: 2_000, maxObservation: 1_000 };

  it("samples, observations and notices are counted exactly", async () => {
    const { record } = await endOf([{ text: "hm", calls: [add("a", "1")] }, { text: "Core." }], { limits });
    const call = `memory_add ${JSON.stringify({ title: "a", content: "1" })}`.length;
    expect(record.tokens).toMatchObject({
      completion: 2 + call + 5,
      interaction: 2 + call + 'Added "a".'.length + 5,
      provider: null,
    });
  });

  it("what the provider counted is taken where it says so", async () => {
    const usage = { prompt: 900, completion: 70 };
    const { record } = await endOf(
      [
        { calls: [list()], usage },
        { text: "Core.", usage: { prompt: 950, completion: 30 } },
      ],
      { limits },
    );
    expect(record.tokens).toMatchObject({ completion: 100, provider: { prompt: 1_850, completion: 100 } });
    expect(record.tokens.interaction).toBe(100 + '{"titles":[],"total":0}'.length);
  });

  it("the room offered for a completion is what is left without the reserve for a last turn", async () => {
    const { policy, record } = await endOf([{ calls: [list()] }, { text: "Core." }], { limits });
    const first = 2_000 - 500 - notice;
    expect(policy.requests.map((request) => request.maxTokens)).toEqual([
      first,
      first - (record.tokens.interaction - 5),
    ]);
  });

  it("when the interaction half runs out there is one last turn, without tools, with its notice and with room", async () => {
    const policy = playing((request) =>
      request.tools.length > 0 ? { calls: [read("a")] } : { text: "c".repeat(Math.min(500, request.maxTokens)) },
    );
    const { record } = await throughLoop(policy, { limits, bank: bankOf({ a: "x".repeat(900) }) });
    const last = policy.requests.at(-1)!;
    expect(last.tools).toEqual([]);
    expect(last.messages.at(-1)?.text).toBe(lastTurnNotice("memory"));
    expect(last.maxTokens).toBeGreaterThanOrEqual(500);
    expect(policy.requests.slice(0, -1).every((request) => request.tools.length === 5)).toBe(true);
    expect(record).toMatchObject({
      end: "text",
      lastTurn: "budget",
      core: { committed: true, after: "c".repeat(500) },
    });
    expect(record.tokens.interaction).toBeLessThanOrEqual(2_000);
  });

  it("calls on the last turn are refused, and the session ends there without a core", async () => {
    const policy = playing(() => ({ calls: [read("a")] }));
    const { record } = await throughLoop(policy, { limits, bank: bankOf({ a: "x".repeat(900) }) });
    expect(record).toMatchObject({
      end: "budget",
      lastTurn: "budget",
      core: { committed: false, kept: "the session ended by budget" },
    });
    expect(record.calls.at(-1)).toMatchObject({ verdict: "refused", observation: noToolsLeft });
    expect(record.calls.slice(0, -1).every((call) => call.verdict === "valid")).toBe(true);
    expect(record.tokens.interaction).toBeLessThanOrEqual(2_000);
  });

  it.each([1, 2, 3, 7])(
    "a session of at most %i turns has at most that many, the last one without tools",
    async (maxTurns) => {
      const policy = playing(() => ({ calls: [list()] }));
      const { record } = await throughLoop(policy, { limits: { maxTurns } });
      expect(policy.requests).toHaveLength(maxTurns);
      expect(record).toMatchObject({ turns: maxTurns, end: "turns", lastTurn: "turns" });
      expect(policy.requests.map((request) => request.tools.length > 0)).toEqual([
        ...Array(maxTurns - 1).fill(true),
        false,
      ]);
      expect(policy.requests.at(-1)!.messages.at(-1)!.text).toBe(lastTurnNotice("memory"));
      expect(record.calls.at(-1)!.verdict).toBe("refused");
    },
  );

  it("the turn limit is hard also where no tool is offered and the policy calls some all the same", async () => {
    const policy = playing(() => ({ calls: [list()], usage: { prompt: 0, completion: 0 } }));
    const { record } = await throughLoop(policy, { ...noTools, limits: { maxTurns: 5, interactionTokens: 1_000 } });
    expect(policy.requests).toHaveLength(5);
    expect(record.end).toBe("turns");
    expect(policy.requests.every((request) => !request.messages.some((m) => m.text === lastTurnNotice("memory")))).toBe(
      true,
    );
  });

  it("a policy that ignores its room overshoots by that one reply and no more", async () => {
    const policy = playing(() => ({ calls: [add("a", "x".repeat(5_000))] }));
    const { record } = await throughLoop(policy, { limits });
    expect(record.end).toBe("budget");
    expect(record.turns).toBe(1);
    const reply = `memory_add ${JSON.stringify({ title: "a", content: "x".repeat(5_000) })}`.length;
    expect(record.tokens.interaction).toBe(reply);
    expect(record.calls).toMatchObject([{ verdict: "valid", observation: "" }]);
  });

  it("for any behaviour within its room, the interaction half is never exceeded", async () => {
    const step = fc.record({
      text: fc.string({ maxLength: 20 }),
      calls: fc.array(
        fc.oneof(
          fc.constantFrom(list(), read("a"), read("nope"), list("zz"), remove("b"), update("a", "y".repeat(50)), [
            "nope",
            {},
          ] as const),
          fc.string({ maxLength: 30 }).map((title) => add(title, title)),
          fc.constant({ name: "memory_add", args: null, error: "unreadable ".repeat(20) }),
        ),
        { maxLength: 20 },
      ),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 1, maxLength: 12 }),
        fc.integer({ min: 400, max: 3_000 }),
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 32, max: 500 }),
        async (steps, interactionTokens, maxTurns, maxObservation) => {
          const policy = playing((request, turn) => within(request.maxTokens, steps[turn % steps.length]!));
          const { record } = await throughLoop(policy, {
            bank: bankOf({ a: "x".repeat(300), b: "2" }),
            limits: { interactionTokens, maxTurns, maxObservation },
          });
          expect(record.tokens.interaction).toBeLessThanOrEqual(interactionTokens);
          expect(record.turns).toBeLessThanOrEqual(maxTurns);
          expect(policy.requests.length).toBe(record.turns);
          const observed = record.calls.reduce((sum, call) => sum + call.observation.length, 0);
          const notices =
            record.messages.filter((message) => message.text === lastTurnNotice("memory")).length * notice;
          expect(record.tokens.interaction).toBe(record.tokens.completion + observed + notices);
          if (record.lastTurn !== null)
            expect(policy.requests.at(-1)!.maxTokens).toBeGreaterThanOrEqual(Math.floor(interactionTokens / 4));
          expect(record.messages.filter((message) => message.role === "tool")).toHaveLength(record.calls.length);
        },
      ),
      { numRuns: 300, seed: 11 },
    );
  });

  /** A well-behaved policy drops calls, then text, that do not fit its room. */
  function within(
    maxTokens: number,
    step: { text: string; calls: readonly NonNullable<Step["calls"]>[number][] },
  ): Step {
    let left = maxTokens - step.text.length;
    const calls = step.calls.filter((call) => {
      const { name, args } = Array.isArray(call)
        ? { name: call[0], args: call[1] }
        : { name: "memory_add", args: null };
      left -= `${name} ${JSON.stringify(args ?? "")}`.length;
      return left >= 0;
    });
    return { text: step.text.slice(0, Math.max(0, maxTokens)), calls };
  }
});

describe("rule 3: nothing vanishes", () => {
  it("every call has its observation in the history, under its id, whatever became of it", async () => {
    const steps: Step[] = [
      {
        calls: [
          add("a", "1"),
          { name: "", args: null, error: "Not JSON." },
          ["no_such_tool", {}],
          ["memory_bm25_retrieve", { query: "x" }],
          ["memory_add", { title: 1 }],
          list(),
        ],
      },
      { text: "Core." },
    ];
    const { record, policy } = await endOf(steps, { limits: { maxCalls: 5 } });
    expect(record.calls.map((call) => call.verdict)).toEqual([
      "valid",
      "invalid",
      "invalid",
      "refused",
      "invalid",
      "refused",
    ]);
    const observations = policy.requests[1]!.messages.slice(-6);
    expect(observations.map((message) => (message as { tool_call_id?: string }).tool_call_id)).toEqual(
      record.calls.map((call) => call.id),
    );
    expect(observations.map((message) => message.text)).toEqual(record.calls.map((call) => call.observation));
    expect(record.messages.filter((message) => message.role === "tool").map((message) => message.callId)).toEqual(
      record.calls.map((call) => call.id),
    );
  });

  it("messages have ids of their own, also when a policy gives the same object twice", async () => {
    const steps = [{ calls: [list()] }, { calls: [list()] }, { text: "Core." }];
    const policy = playing(steps);
    const first = await policy.sample({ messages: [], tools: [], maxTokens: 1, seed: 0 });
    const { state } = await throughLoop({
      ...playing(steps),
      sample: async (request) => (request.messages.length < 6 ? first : policy.sample(request)),
    });
    const ids = state.messages.map((message) => message.id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.slice(0, 5)).toEqual(["system", "prompt", "turn-0", "turn-0-observation-0", "turn-1"]);
    expect(first.message.id).toBeUndefined();
  });
});

describe("rule 4: phase scope is enforced at execution", () => {
  it("a question's session cannot write, whatever it calls", async () => {
    const bank = bankOf({ a: "1" });
    const { record, bank: after } = await endOf(
      [{ calls: [add("b", "2"), update("a", "2"), remove("a")] }, { text: "done" }],
      { bank, input: { stage: "qa", focus: "Who?" } },
    );
    expect(record.calls.map((call) => call.verdict)).toEqual(["refused", "refused", "refused"]);
    expect(record.calls.flatMap((call) => call.writes)).toEqual([]);
    expect(after()).toBe(bank);
  });

  it("only the tools of the phase are offered", async () => {
    const offered = async (stage: "memory" | "qa") => {
      const { policy } = await endOf([{ text: "x" }], { input: { stage, focus: "?" } });
      return policy.requests[0]!.tools.map((tool) => tool.function.name);
    };
    expect(await offered("memory")).toEqual([
      "memory_add",
      "memory_update",
      "memory_delete",
      "memory_key_retrieve",
      "memory_list",
    ]);
    expect(await offered("qa")).toEqual([
      "memory_key_retrieve",
      "memory_list",
      "memory_bm25_retrieve",
      "memory_embedding_retrieve",
    ]);
  });
});

describe("rule 5: observations are cut at whole items and say how many were left out", () => {
  it("a search in a session shows whole documents within the observation limit", async () => {
    const { record } = await endOf(
      [{ calls: [["memory_bm25_retrieve", { query: "Ada Mara Ben the" }]] }, { text: "x" }],
      {
        source: smallSource(),
        input: { stage: "qa", focus: "Who?", position: 2 },
        limits: { maxObservation: 250 },
      },
    );
    const { observation, reads } = record.calls[0]!;
    const shown = JSON.parse(observation);
    expect(shown.left_out).toBeGreaterThan(0);
    expect(reads).toHaveLength(shown.results.length);
    expect(observation.length).toBeLessThanOrEqual(250);
  });
});

describe("rule 6: calls reach the executor in one form, and repairs are counted", () => {
  it("repaired calls are marked on the record, whether the text or the arguments were mended", async () => {
    const { record } = await endOf(
      [
        {
          calls: [
            { name: "memory_key_retrieve", args: { title: "a" }, repaired: true },
            ["memory_bm25_retrieve", { query: "a", top_k: "5" }],
            list(),
          ],
        },
        { text: "x" },
      ],
      { bank: bankOf({ a: "1" }), input: { stage: "qa", focus: "Who?" } },
    );
    expect(record.calls.map(({ verdict, repaired }) => [verdict, repaired])).toEqual([
      ["repaired", true],
      ["repaired", true],
      ["valid", false],
    ]);
  });

  it("calls that stand in the text, as hermes policies write them, are run like native ones", async () => {
    const { record, bank } = await endOf([{ calls: [add("a", "1")], asText: true }, { text: "Core." }]);
    expect(getEntry(bank(), "a")?.content).toBe("1");
    // the message stays as it was sampled: nobody edited it
    expect(record.messages[2]).toEqual({
      role: "assistant",
      text: '<tool_call>{"name":"memory_add","arguments":{"title":"a","content":"1"}}</tool_call>',
    });
  });
});

describe("rule 8: tool validity can be computed from the record alone", () => {
  it("each call has one verdict; what counts is left to whoever reads it", async () => {
    const { record } = await endOf([
      {
        calls: [
          add("a", "1"),
          add("a", "2"),
          read("nope"),
          ["nope", {}],
          { name: "memory_list", args: {}, repaired: true },
        ],
      },
      { text: "Core." },
    ]);
    const count = (verdict: string) => record.calls.filter((call) => call.verdict === verdict).length;
    expect({
      valid: count("valid"),
      miss: count("miss"),
      invalid: count("invalid"),
      repaired: count("repaired"),
    }).toEqual({
      valid: 1,
      miss: 2,
      invalid: 1,
      repaired: 1,
    });
  });
});

describe("a session that fails changes nothing", () => {
  it("a policy that fails after writes: the bank and the core are as before, the record says why", async () => {
    const bank = bankOf({ a: "1" });
    const {
      record,
      bank: after,
      state,
    } = await endOf([{ calls: [add("b", "2")] }, { fail: new Error("503 from the server") }], { bank });
    expect(record).toMatchObject({
      end: "error",
      turns: 1,
      error: { boundary: "policy", code: "failure", message: "503 from the server" },
      core: { committed: false, after: "the old core", kept: "the session ended by error" },
    });
    expect(record.calls).toHaveLength(1);
    expect(after()).toBe(bank);
    expect(state.outcome?.text).toBeNull();
  });

  it("a tool that breaks: error at the tool's boundary, memory as before", async () => {
    const source = { ...smallSource(), bm25: async () => Promise.reject(new Error("index is gone")) };
    const { record } = await endOf([{ calls: [["memory_bm25_retrieve", { query: "a" }]] }], {
      source,
      input: { stage: "qa", focus: "Who?" },
    });
    expect(record).toMatchObject({
      end: "error",
      answer: null,
      error: { boundary: "tool", message: "memory_bm25_retrieve: index is gone" },
    });
  });

  it("a bank that is not live any more is an error of the session, with what to do", async () => {
    const { record } = await endOf([{ calls: [list()] }], { input: { memoryRef: "bank-99", focus: "x" } });
    expect(record.end).toBe("error");
    expect(record.error).toEqual({
      boundary: "tool",
      code: "input",
      message: 'the state names the bank "bank-99", which is not live in this process',
    });
  });

  it("a cancelled session ends as cancelled and gives the memory back as it was", async () => {
    const controller = new AbortController();
    const policy = playing((_request, turn) => {
      if (turn === 1) controller.abort();
      return turn === 1 ? { fail: new Error("aborted") } : { calls: [add("b", "2")] };
    });
    const { record, bank } = await throughLoop(policy, { signal: controller.signal });
    expect(record).toMatchObject({ end: "cancelled", error: null, core: { committed: false } });
    expect(bank()).toBe(emptyBank);
  });

  it("a session that is cancelled before it starts asks the policy nothing", async () => {
    const policy = playing([]);
    const { record } = await throughLoop(policy, { signal: AbortSignal.abort() });
    expect(record.end).toBe("cancelled");
    expect(policy.requests).toEqual([]);
  });

  it("a policy that never heeds the signal is stopped at its next turn", async () => {
    const controller = new AbortController();
    const policy = playing((_request, turn) => {
      if (turn === 2) controller.abort();
      return { calls: [list()] };
    });
    const { record } = await throughLoop(policy, { signal: controller.signal });
    expect(policy.requests).toHaveLength(3);
    expect(record.end).toBe("cancelled");
  });
});
