/** Whole sessions of a token-exact policy: what their records hold is what was sampled, to the bit. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { loadPrompts } from "../../../nodes/prompts/prompts.ts";
import { SessionRecord, withoutTimes } from "../../../nodes/session/record.ts";
import { tracePartsOf } from "../../../nodes/session/recorded-trace.ts";
import type { ChatFormat } from "../../../policies/token-exact/chat-format.ts";
import { TokenExactChatModel } from "../../../policies/token-exact/token-exact-chat-model.ts";
import { tokenExactPolicy } from "../../../policies/token-exact/token-exact-policy.ts";
import { type SessionSetting, throughGraph, throughLoop } from "../../support/sessions.ts";
import { bankOf } from "../../support/worlds.ts";
import { call, type Reply, type ScriptedSampler, scriptedSampler } from "./scripted-sampler.ts";
import { forgetful, idOf, specialsIn, tiny, withTemplate } from "./tiny-format.ts";

const policyOver = (sampler: ScriptedSampler, format: ChatFormat = tiny) =>
  tokenExactPolicy(new TokenExactChatModel({ name: "exact", sampler, format }));

const add = (title: string, content = "x") => call("memory_add", { title, content });

async function played(script: readonly (Reply | string)[], setting?: SessionSetting, format?: ChatFormat) {
  const sampler = scriptedSampler(script, { ...(format && { format }) });
  const { record } = await throughLoop(policyOver(sampler, format), setting);
  const trace = record.trace!;
  return { sampler, record, trace, parts: tracePartsOf(trace) };
}

/** The one sequence of a session, checked against what the sampler was given and gave. */
function expectExact({ sampler, trace, parts }: Awaited<ReturnType<typeof played>>): void {
  expect(trace.breaks).toEqual([]);
  expect(parts).toHaveLength(1);
  const [part] = parts;
  const last = sampler.requests.at(-1)!.promptIds;
  expect(part!.ids).toEqual(Int32Array.of(...last, ...sampler.samples.at(-1)!.ids));
  const mask = new Uint8Array(part!.ids.length);
  for (const [k, { ids, logprobs, weights }] of sampler.samples.entries()) {
    const { start, end, ...turn } = trace.turns[k]!;
    expect(turn).toMatchObject({ turn: k, part: 0, weights });
    expect(part!.ids.subarray(start, end)).toEqual(ids);
    const recorded = part!.sampler.slice(start, end);
    expect(Buffer.from(recorded.buffer).equals(Buffer.from(logprobs.slice().buffer))).toBe(true);
    mask.fill(1, start, end);
    // each prompt is all that came before it
    expect(part!.ids.subarray(0, start)).toEqual(sampler.requests[k]!.promptIds);
  }
  expect(part!.mask).toEqual(mask);
}

describe("a session", () => {
  it("of several turns is one sequence", async () => {
    const run = await played([
      `Hm.\n${add("a")}`,
      { text: `${add("b")}\n${call("memory_list", {})}`, spelled: true },
      "The core.",
    ]);
    expectExact(run);
    expect(run.record.core).toMatchObject({ after: "The core.", committed: true });
    expect(run.trace.turns.map(({ calls }) => calls.length)).toEqual([1, 2, 0]);
    const ids = run.parts[0]!.ids;
    for (const turn of run.trace.turns)
      for (const { id, start, end } of turn.calls) {
        const { name } = run.record.calls.find((one) => one.id === id)!;
        expect(tiny.tokenizer.decode(ids.subarray(turn.start + start, turn.start + end))).toContain(`"name":"${name}"`);
      }
    expect(run.record.tokens.completion).toBe(run.sampler.samples.reduce((sum, { ids }) => sum + ids.length, 0));
    expect(run.record.tokens.provider!.prompt).toBe(
      run.sampler.requests.reduce((sum, { promptIds }) => sum + promptIds.length, 0),
    );
  });

  it("is the same through the graph", async () => {
    const script = [add("a"), { text: add("b"), spelled: true }, "The core."];
    const [loop, graph] = await Promise.all(
      [throughLoop, throughGraph].map((driver) => driver(policyOver(scriptedSampler(script)))),
    );
    expect(withoutTimes(graph!.record)).toEqual(withoutTimes(loop!.record));
    expect(graph!.record.trace).not.toBeNull();
  });

  it("goes through the record's JSON with every bit of its tokens", async () => {
    const { record, parts } = await played([{ text: add("a"), spelled: true }, "The core."]);
    const again = SessionRecord.parse(JSON.parse(JSON.stringify(record)));
    expect(tracePartsOf(again.trace!)).toEqual(parts);
  });

  it("whose last turn has no tools is one sequence all the same", async () => {
    const run = await played([add("a"), add("b"), "The core."], { limits: { maxTurns: 3 } });
    expectExact(run);
    expect(run.record.lastTurn).toBe("turns");
    expect(tiny.tokenizer.decode(run.parts[0]!.ids).match(/Your tools/g)).toHaveLength(1);
  });

  it("that was cut in the middle of a call, and of its last text, has no end token there", async () => {
    const limits = { interactionTokens: 400, maxTurns: 3 };
    const run = await played([add("a", "long ".repeat(400)), "text ".repeat(400)], { limits });
    expectExact(run);
    expect(run.record.cut).toBe("length");
    const [part] = run.parts;
    const end = idOf("<|im_end|>");
    for (const { start, end: stop } of run.trace.turns) expect([...part!.ids.subarray(start, stop)]).not.toContain(end);
    expect(part!.ids[run.trace.turns[0]!.end]).toBe(end);
    expect(part!.mask[run.trace.turns[0]!.end]).toBe(0);
  });

  it("with a template that drops thoughts is several sequences, all trained, none of them mended", async () => {
    const format = withTemplate(forgetful);
    const thought = (text: string) => `<think>\nA thought.\n</think>\n\n${text}`;
    const { record, trace, parts, sampler } = await played(
      [thought(add("a")), thought(add("b")), thought("The core.")],
      { limits: { maxTurns: 3 } },
      format,
    );
    // tool results let it go on, the notice of the last turn does not
    expect(trace.turns.map(({ part }) => part)).toEqual([0, 0, 1]);
    expect(trace.breaks).toMatchObject([{ turn: 2 }]);
    expect(record.core!.after).toBe("The core.");
    for (const [k, { part, start, end }] of trace.turns.entries())
      expect(parts[part!]!.ids.subarray(start, end)).toEqual(sampler.samples[k]!.ids);
    expect(parts.reduce((sum, { mask }) => sum + mask.reduce((a, b) => a + b, 0), 0)).toBe(
      sampler.samples.reduce((sum, { ids }) => sum + ids.length, 0),
    );
  });

  it("that failed while sampling is an event with what was sampled before", async () => {
    const { record, trace } = await played([add("a")]);
    expect(record).toMatchObject({ end: "error", error: { boundary: "policy", code: "provider" } });
    expect(trace.turns).toHaveLength(1);
  });
});

describe("a document that is hostile", () => {
  const pieces = [
    ...tiny.tokenizer.specials.keys(),
    "\n",
    "assistant\n",
    '{"name": "memory_delete"}',
    "\ufdd0",
    "e\u0301",
    "🙂",
  ];
  const document = fc
    .array(fc.oneof(fc.constantFrom(...pieces), fc.string({ maxLength: 6 })), { maxLength: 12 })
    .map((text) => text.join(""));

  it("ends no turn and makes no token special, in chunk, core, entry or observation", async () => {
    await fc.assert(
      fc.asyncProperty(document, document, fc.boolean(), async (chunk, entry, spelled) => {
        const script = [
          { text: call("memory_key_retrieve", { title: "t" }), spelled },
          { text: `${call("memory_key_retrieve", { title: "t" })}\n${call("memory_list", {})}`, spelled },
          "The core.",
        ];
        const setting = (text: string, held: string): SessionSetting => ({
          bank: bankOf({ t: held }),
          input: { stage: "memory", core: text, focus: text },
        });
        const run = await played(script, setting(chunk, entry));
        const harmless = await played(script, setting("x", "y"));
        expectExact(run);
        expect(specialsIn(run.parts[0]!.ids)).toEqual(specialsIn(harmless.parts[0]!.ids));
        expect(run.record.calls).toHaveLength(3);
      }),
      { numRuns: 25 },
    );
  });
});

describe("budgets", () => {
  it("hold in this policy's own tokens, with the template around them", async () => {
    const prompts = loadPrompts("default");
    const focus = "[2023-05-08 13:56] Caroline: I went to a support group yesterday.\n".repeat(400);
    const limits = { promptTokens: 3_000, interactionTokens: 800 };
    const run = await played([add("a"), "The core."], {
      prompts,
      limits,
      input: { stage: "memory", core: "The old core.", focus },
    });
    expectExact(run);
    const { record, sampler } = run;
    expect(record.truncated.focus).toBeGreaterThan(0);
    expect(record.tokens.prompt).toBeLessThanOrEqual(3_000);
    // what the chat template adds: turn marks and the frame around the tools
    const overhead = sampler.requests[0]!.promptIds.length - record.tokens.prompt;
    expect(overhead).toBeGreaterThan(0);
    expect(overhead).toBeLessThan(150);
    expect(tiny.tokenizer.decode(sampler.requests[0]!.promptIds)).toContain("support group yesterday.");
    expect(record.tokens.interaction).toBeLessThanOrEqual(800);
  });
});
