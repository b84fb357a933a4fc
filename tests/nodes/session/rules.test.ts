/** The default rules of decisions §5, each as a whole session shows it. Rule 2 is in hard-limits.test.ts, rule 7 in the variant contract; tests/tools has what one turn's execution decides. */
import { describe, expect, it } from "vitest";
import { getEntry } from "../../../memory/bank.ts";
import { lastTurnNotice, noToolsLeft } from "../../../nodes/session/notices.ts";
import { noRoom } from "../../../tools/execute-calls.ts";
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
    [
      "a part of the notice and nothing else",
      "The new core only, as plain text.",
      "the reply repeated a sentence of the session",
    ],
    ["a refusal", `${noToolsLeft}`, "the reply repeated a sentence of the session"],
    ["zero-width characters", "\u200b\u2060\ufeff", "the reply was empty"],
    ["format characters and fillers", "\u202e \u00ad\u3164\u2800\u0000", "the reply was empty"],
    ["calls written like Python", '[memory_add(title="a", content="b")]', "the reply held tool-call markup"],
    ["a left-out observation", `x ${noRoom}`, "the reply repeated a sentence of the session"],
  ])("%s never replaces the core: the old one stays and the record says why", async (_what, text, why) => {
    const { record, state } = await endOf([{ text }]);
    expect(record.end).toBe("text");
    expect(record.core).toEqual({ before: "the old core", after: "the old core", committed: false, kept: why });
    expect(state.outcome?.text).toBeNull();
  });

  it.each([
    ["length", "the reply was cut off at the token limit"],
    ["content_filter", "the reply was cut by the provider's content filter"],
  ] as const)("a text that was cut (%s) never replaces the core, whole as it may look", async (cut, why) => {
    const { record } = await endOf([{ text: "The user keeps a ledger of food and", cut }]);
    expect(record).toMatchObject({ end: "text", cut });
    expect(record.core).toEqual({ before: "the old core", after: "the old core", committed: false, kept: why });
  });

  it("an answer that was cut is still the answer, and the record says that it was cut", async () => {
    const input = { stage: "qa" as const, focus: "Who?" };
    const steps: Step[] = [
      { calls: [list()], cut: "length" },
      { text: "\\boxed{Ada} because", cut: "length" },
    ];
    expect((await endOf(steps, { input })).record).toMatchObject({ answer: "\\boxed{Ada} because", cut: "length" });
  });

  it("what only the calls' turn was cut by is not said of the text", async () => {
    const { record } = await endOf([{ calls: [list()], cut: "length" }, { text: "Core." }]);
    expect(record).toMatchObject({ cut: null, core: { after: "Core.", committed: true } });
  });

  it("a core that names tools in words is a core", async () => {
    const text = "Entries are added by memory_add(title, content).\nmemory_list() shows them (by title).";
    expect((await endOf([{ text }])).record.core).toMatchObject({ after: text, committed: true });
  });

  it("what is left of a call that nobody could read is no core: the whole reply is looked at", async () => {
    const { record } = await endOf([{ raw: '.5, "title": "a"}}\n</tool_call>', text: '.5, "title": "a"}}' }]);
    expect(record.core).toMatchObject({ after: "the old core", kept: "the reply held tool-call markup" });
    const thought = "<think>Should I use <tool_call>? No.</think>Core.";
    expect((await endOf([{ raw: thought, text: "Core." }])).record.core?.after).toBe("Core.");
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
