/** Rule 2 of decisions §5 in exact numbers: a token here is a character. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { lastTurnNotice, noToolsLeft } from "../../../nodes/session/notices.ts";
import { toolsets } from "../../../tools/toolsets.ts";
import { add, list, playing, read, remove, type Step, update } from "../../support/scripts.ts";
import { type SessionSetting, throughLoop } from "../../support/sessions.ts";
import { bankOf } from "../../support/worlds.ts";

const endOf = async (steps: readonly Step[], setting?: SessionSetting) => {
  const policy = playing(steps);
  return { policy, ...(await throughLoop(policy, setting)) };
};

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
    expect(long.record.error?.message).toMatch(
      /^the question takes 300 tokens, the prompt budget has room for \d+; raise the prompt budget/,
    );
    const tight = await endOf([], { limits: { promptTokens: 256 }, input: { focus: "c".repeat(300) } });
    expect(tight.record.error?.message).toMatch(/^the chunk needs 64 tokens, the prompt budget has room for 0; raise/);
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
