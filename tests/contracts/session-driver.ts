/**
 * Loop and graph are one session run two ways (decisions §6): the same inputs must give the same events, whatever the
 * policy does. A new driver passes by passing this suite.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { UmaError } from "../../base/errors.ts";
import { memoryCodec } from "../../memory/codec.ts";
import { withoutTimes } from "../../nodes/session/record.ts";
import { toolsets } from "../../tools/toolsets.ts";
import { add, list, playing, read, remove, type Step, update } from "../support/scripts.ts";
import { type Driver, type SessionRun, type SessionSetting, throughLoop } from "../support/sessions.ts";
import { bankOf, smallSource } from "../support/worlds.ts";

interface Case {
  readonly steps: readonly Step[];
  readonly setting?: SessionSetting;
  readonly ends: string;
}

const bank = bankOf({ a: "1", "2024-01-01": "2024-01-01 | Dining | Lunch | 0.10\n2024-01-01 | Dining | Tea | 0.20" });
const source = smallSource();
const question: SessionSetting = { bank, source, input: { stage: "qa", focus: "Who saw Saturn?", position: 2 } };
const brokenSource = { ...source, bm25: async () => Promise.reject(new Error("index is gone")) };

const cases: Readonly<Record<string, Case>> = {
  "plain text at once": { steps: [{ text: "Core." }], ends: "text" },
  "calls, then text": {
    steps: [
      { text: "Looking.", calls: [list(), read("a")] },
      { calls: [add("b", "2"), update("a", "3", "c")] },
      { text: "Core." },
    ],
    setting: { bank },
    ends: "text",
  },
  "malformed calls of every kind": {
    steps: [
      {
        calls: [
          { name: "", args: null, error: "The arguments are not JSON." },
          ["no_such_tool", { a: 1 }],
          ["memory_add", { title: 5, content: null }],
          ["memory_bm25_retrieve", { query: "a" }],
          { name: "memory_add", args: { title: "r", content: "mended" }, repaired: true },
          add("__proto__", "x"),
        ],
      },
      { text: "Core." },
    ],
    ends: "text",
  },
  "calls that stand in the text": {
    steps: [{ calls: [add("b", "2")], asText: true }, { text: "Core." }],
    ends: "text",
  },
  "more calls than a turn takes": {
    steps: [{ calls: Array.from({ length: 9 }, (_, i) => add(`t${i}`, "x")) }, { text: "Core." }],
    setting: { limits: { maxCalls: 4 } },
    ends: "text",
  },
  "titles missed and taken": {
    steps: [{ calls: [add("a", "1"), remove("z"), read("z")] }, { text: "Core." }],
    setting: { bank },
    ends: "text",
  },
  "the turns run out": {
    steps: Array(3).fill({ calls: [list()] }),
    setting: { limits: { maxTurns: 3 } },
    ends: "turns",
  },
  "one turn, without tools": { steps: [{ text: "Core." }], setting: { limits: { maxTurns: 1 } }, ends: "text" },
  "the budget runs out, and the last turn answers": {
    steps: [{ calls: [read("long")] }, { calls: [read("long")] }, { text: "Core." }],
    setting: { bank: bankOf({ long: "x".repeat(700) }), limits: { interactionTokens: 1_200, maxObservation: 400 } },
    ends: "text",
  },
  "the budget runs out, and the last turn calls": {
    steps: Array(5).fill({ calls: [read("long")] }),
    setting: { bank: bankOf({ long: "x".repeat(700) }), limits: { interactionTokens: 1_200, maxObservation: 400 } },
    ends: "budget",
  },
  "a reply far beyond its room": {
    steps: [{ calls: [add("big", "x".repeat(9_000))] }],
    setting: { limits: { interactionTokens: 1_000 } },
    ends: "budget",
  },
  "an empty reply": { steps: [{ text: "" }], ends: "text" },
  "markup that nobody understood": { steps: [{ text: "<tool_call>{broken" }], ends: "text" },
  "the policy fails at once": { steps: [{ fail: new UmaError("provider", "the server said 503") }], ends: "error" },
  "the policy fails after writes": {
    steps: [{ calls: [add("b", "2")] }, { fail: new Error("timed out") }],
    setting: { bank },
    ends: "error",
  },
  "a question: search, read, answer": {
    steps: [
      {
        calls: [
          ["memory_bm25_retrieve", { query: "Saturn", top_k: "2" }],
          ["memory_embedding_retrieve", { query: "planet" }],
          list(),
          read("a"),
        ],
      },
      { text: "\\boxed{Mara}" },
    ],
    setting: question,
    ends: "text",
  },
  "a question in mid-stream sees nothing later": {
    steps: [{ calls: [["memory_bm25_retrieve", { query: "train to Porto" }]] }, { text: "unknown" }],
    setting: { ...question, input: { stage: "qa", focus: "When is the train?", position: 1 } },
    ends: "text",
  },
  "a question that tries to write": {
    steps: [{ calls: [add("b", "2"), remove("a")] }, { text: "x" }],
    setting: question,
    ends: "text",
  },
  "a search that breaks": {
    steps: [{ calls: [["memory_bm25_retrieve", { query: "a" }], list()] }],
    setting: { ...question, source: brokenSource },
    ends: "error",
  },
  "observations that are cut": {
    steps: [{ calls: [list(), ["memory_bm25_retrieve", { query: "the Ada Mara Ben" }]] }, { text: "x" }],
    setting: {
      ...question,
      bank: bankOf(Array.from({ length: 90 }, (_, i) => [`title ${i}`, ""] as const)),
      limits: { maxObservation: 300 },
    },
    ends: "text",
  },
  "a prompt that is cut": {
    steps: [{ text: "Core." }],
    setting: {
      toolset: { name: "none", tools: [] },
      limits: { promptTokens: 256 },
      input: { core: "c".repeat(100), focus: "f".repeat(900) },
    },
    ends: "text",
  },
  "a question too long for the prompt": {
    steps: [],
    setting: { limits: { promptTokens: 256 }, input: { stage: "qa", focus: "q".repeat(900) } },
    ends: "error",
  },
  "the ledger's tool": {
    steps: [{ calls: [["ledger_aggregate", { operation: "sum", scenes: ["Dining"] }]] }, { text: "\\boxed{0.30}" }],
    setting: { ...question, toolset: toolsets.ledger },
    ends: "text",
  },
  "passages instead of tools": {
    steps: [{ text: "\\boxed{Mara}" }],
    setting: {
      promptUse: "rag",
      toolset: { name: "none", tools: [] },
      input: {
        stage: "qa",
        focus: "Who?",
        context: "Mara saw it.",
        given: [{ kind: "sub-chunk", id: "c1.0", rank: 1, score: 0.5 }],
      },
    },
    ends: "text",
  },
  "what the provider counted": {
    steps: [
      { calls: [list()], usage: { prompt: 100, completion: 7 } },
      { text: "Core.", usage: { prompt: 120, completion: 3 } },
    ],
    ends: "text",
  },
  "a core that was cut": { steps: [{ text: "Half a co", cut: "length" }], ends: "text" },
  "an answer that was cut": { steps: [{ text: "Half an an", cut: "content_filter" }], setting: question, ends: "text" },
  "titles and texts of every kind": {
    steps: [
      { calls: [add("نص \u202e abc", "\u0000\ud800"), add("👩‍👩‍👧", "漢字"), list("👩"), read("نص \u202e abc")] },
      { text: "Core \u202e." },
    ],
    ends: "text",
  },
  "a named session": {
    steps: [{ text: "Core." }],
    setting: {
      input: {
        focus: "x",
        position: 4,
        identity: { run: "r", context: "c", trajectory: 3, question: null, parent: null, seed: 99, attempt: 2 },
      },
    },
    ends: "text",
  },
};

/** Everything that leaves a session, comparable: times left out, live objects as bytes. */
function events({ state, record, bank: bankAfter }: SessionRun) {
  const { startedAt: _, memoryRef: _ref, memoryBefore: _before, log, messages, ...rest } = state;
  return {
    record: withoutTimes(record),
    bank: Buffer.from(memoryCodec.encode({ core: "", bank: bankAfter() })).toString("hex"),
    messages: messages.map((message) => ({
      type: message.getType(),
      id: message.id,
      content: message.content,
      ...("tool_calls" in message && { calls: message.tool_calls }),
    })),
    log: log.map((call) => ({ ...call, ms: 0 })),
    rest,
  };
}

export function sessionDriverContract(name: string, driver: Driver) {
  describe(`session driver contract: ${name} gives the same events as the loop`, () => {
    for (const [title, { steps, setting, ends }] of Object.entries(cases)) {
      it(title, async () => {
        const policies = [playing(steps), playing(steps)] as const;
        const expected = events(await throughLoop(policies[0], setting));
        const got = events(await driver(policies[1], setting));
        expect(expected.record.end).toBe(ends);
        expect(got).toEqual(expected);
        expect(policies[1].requests.map(shown)).toEqual(policies[0].requests.map(shown));
      });
    }

    it("cancelled before, while sampling and while running tools", async () => {
      for (const when of [0, 1, 2]) {
        const run = async (through: Driver) => {
          const controller = new AbortController();
          if (when === 0) controller.abort();
          const slow = {
            ...source,
            bm25: async () => {
              controller.abort();
              throw new Error("aborted");
            },
          };
          const policy = playing(() => {
            if (when === 1) {
              controller.abort();
              return { fail: new Error("aborted") };
            }
            return { calls: [list(), ["memory_bm25_retrieve", { query: "a" }]] };
          });
          return events(await through(policy, { ...question, source: slow, signal: controller.signal }));
        };
        const expected = await run(throughLoop);
        expect(expected.record.end).toBe("cancelled");
        expect(await run(driver)).toEqual(expected);
      }
    });

    it("for any behaviour of the policy", async () => {
      await fc.assert(
        fc.asyncProperty(
          behaviour,
          limits,
          fc.constantFrom("memory" as const, "qa" as const),
          async (steps, given, stage) => {
            const setting: SessionSetting = {
              bank,
              source,
              limits: given,
              input: { stage, focus: "what is read or asked", position: 1 },
            };
            const play = () => playing((_request, turn) => steps[turn % steps.length]!);
            expect(events(await driver(play(), setting))).toEqual(events(await throughLoop(play(), setting)));
          },
        ),
        { numRuns: 30, seed: 2 },
      );
    });
  });
}

const shown = (request: {
  messages: readonly { text: string }[];
  tools: readonly unknown[];
  maxTokens: number;
  seed: number;
}) => ({
  messages: request.messages.map((message) => message.text),
  tools: request.tools,
  maxTokens: request.maxTokens,
  seed: request.seed,
});

const anyCall = fc.oneof(
  fc.constantFrom(list(), list("a"), read("a"), read("zz"), remove("a"), add("a", "again"), update("a", "new", "b"), [
    "nope",
    {},
  ] as const),
  fc.tuple(
    fc.constantFrom("memory_add", "memory_update", "memory_list", "memory_bm25_retrieve"),
    fc.dictionary(fc.constantFrom("title", "content", "query", "top_k", "filter"), fc.jsonValue({ maxDepth: 1 })),
  ),
  fc.record({ name: fc.constantFrom("", "memory_add"), args: fc.constant(null), error: fc.string() }),
);
const behaviour = fc.array(
  fc.record({
    text: fc.oneof(fc.constant(""), fc.string()),
    calls: fc.array(anyCall, { maxLength: 4 }),
    asText: fc.boolean(),
    usage: fc.option(fc.record({ prompt: fc.nat(999), completion: fc.nat(400) })),
  }),
  { minLength: 1, maxLength: 5 },
);
const limits = fc.record({
  interactionTokens: fc.integer({ min: 300, max: 3_000 }),
  maxTurns: fc.integer({ min: 1, max: 6 }),
  maxCalls: fc.integer({ min: 1, max: 4 }),
  maxObservation: fc.integer({ min: 40, max: 400 }),
});
