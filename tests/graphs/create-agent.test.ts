import { describe, expect, it } from "vitest";
import { createAgent } from "../../graphs/create-agent.ts";
import { loadVariant } from "../../graphs/variants/load-variant.ts";
import type { Variant } from "../../graphs/variants/variant.ts";
import { bankSize, entriesOf } from "../../memory/bank.ts";
import type { Memory } from "../../memory/memory.ts";
import { type SessionRecord, withoutTimes } from "../../nodes/session/record.ts";
import { diligentPolicy } from "../support/diligent-policy.ts";
import { add, playing } from "../support/scripts.ts";

const uma = async () => (await loadVariant("uma")) as Variant<Memory>;
const chunks = ["Ada moved to Lisbon.", "Mara saw Saturn.", "The picnic is on Sunday."];

describe("createAgent: read a stream once, answer many questions later", () => {
  it("memorize gives a value, answer reads it", async () => {
    const agent = createAgent(await uma(), { policy: diligentPolicy() });
    const kept = await agent.memorize(chunks);
    expect(kept.memory.core).toBe("Ada moved to Mara saw Sat The picnic i");
    expect(bankSize(kept.memory.bank)).toBe(4);
    expect(kept.records.map((record) => record.position)).toEqual([0, 1, 2]);
    const { answer, record } = await agent.answer(kept, "When is the picnic?");
    expect(answer).toContain("Sunday");
    expect(record).toMatchObject({ stage: "qa", answer, position: 2 });
  });

  it("a memory can be branched: reading on leaves the earlier value as it was", async () => {
    const agent = createAgent(await uma(), { policy: diligentPolicy() });
    const early = await agent.memorize(chunks.slice(0, 1));
    const one = await agent.memorize(chunks.slice(1, 2), early);
    const other = await agent.memorize(chunks.slice(2), early);
    const titles = (kept: { memory: Memory }) => [...entriesOf(kept.memory.bank)].map((entry) => entry.content);
    expect(titles(early)).toEqual(["1", chunks[0]]);
    expect(titles(one)).toEqual(["2", chunks[0], chunks[1]]);
    expect(titles(other)).toEqual(["2", chunks[0], chunks[2]]);
    expect(one.records.map((record) => record.position)).toEqual([1]);
    expect(one.source.chunks).toEqual(chunks.slice(0, 2));
    expect((await agent.answer(other, "When is the picnic?")).answer).toContain("Sunday");
    expect((await agent.answer(one, "When is the picnic?")).answer).not.toContain("Sunday");
  });

  it("reading in two parts gives the memory that reading at once gives", async () => {
    const agent = createAgent(await uma(), { policy: diligentPolicy() });
    const bytes = (kept: { memory: Memory }) => Buffer.from(agent.variant.codec.encode(kept.memory)).toString("hex");
    const whole = await agent.memorize(chunks);
    const parts = await agent.memorize(chunks.slice(2), await agent.memorize(chunks.slice(0, 2)));
    expect(bytes(parts)).toBe(bytes(whole));
  });

  it("a memory can be serialised and answered from again", async () => {
    const agent = createAgent(await uma(), { policy: diligentPolicy() });
    const { memory, source } = await agent.memorize(chunks);
    const back = agent.variant.codec.decode(agent.variant.codec.encode(memory));
    expect((await agent.answer({ memory: back, source }, "Who saw Saturn?")).answer).toBe(
      (await agent.answer({ memory, source }, "Who saw Saturn?")).answer,
    );
  });

  it("every session is heard of, also those that fail, and the others go on", async () => {
    const heard: SessionRecord[] = [];
    const policy = diligentPolicy({ failOn: ({ messages }) => messages[1]!.text.includes("Saturn") });
    const agent = createAgent(await uma(), { policy, onRecord: (record) => heard.push(record) });
    const kept = await agent.memorize(chunks);
    expect(heard.map((record) => record.end)).toEqual(["text", "error", "text"]);
    expect(kept.records).toEqual(heard);
    const failed = await agent.answer(kept, "Saturn?");
    expect(failed.answer).toBeNull();
    expect(failed.record.error?.message).toBe("the server is down");
  });

  it("a question's session is named by its text or by the id that was given, so asking twice is the same session", async () => {
    const agent = createAgent(await uma(), { policy: diligentPolicy(), seed: 3, context: "trip" });
    const kept = await agent.memorize(chunks);
    const once = await agent.answer(kept, "Who?");
    expect(withoutTimes((await agent.answer(kept, "Who?")).record)).toEqual(withoutTimes(once.record));
    expect(once.record.id).toMatch(/^trip\/t0\/q[0-9a-f]{16}$/);
    const named = await agent.answer(kept, { id: "mine", text: "Who?", position: 0 });
    expect(named.record).toMatchObject({ id: "trip/t0/qmine", position: 0, seed: 3 });
  });

  it("limits can be given in part, and are checked", async () => {
    const policy = playing([{ calls: [add("a", "1")] }, { text: "Core." }]);
    const agent = createAgent(await uma(), { policy, limits: { maxTurns: 2 } });
    const { records } = await agent.memorize(["one"]);
    expect(records[0]).toMatchObject({ budget: { turns: 2, prompt: 8_192 }, lastTurn: "turns" });
    expect(() => createAgent({} as Variant, { policy, limits: { maxTurns: 0 } })).toThrow();
  });

  it("can be stopped, which is an error and not a half-read memory", async () => {
    const agent = createAgent(await uma(), { policy: diligentPolicy() });
    const controller = new AbortController();
    const policy = diligentPolicy();
    const stopping = createAgent(await uma(), {
      policy,
      onRecord: () => controller.abort(),
    });
    await expect(stopping.memorize(chunks, {}, { signal: controller.signal })).rejects.toMatchObject({
      code: "cancelled",
    });
    expect(policy.count()).toBe(3);
    const kept = await agent.memorize(chunks);
    await expect(agent.answer(kept, "Who?", { signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: "cancelled",
    });
  });

  it("nothing to read gives an empty memory, from which questions can be asked", async () => {
    const agent = createAgent(await uma(), { policy: diligentPolicy() });
    const kept = await agent.memorize([]);
    expect(kept.records).toEqual([]);
    expect((await agent.answer(kept, "Who?")).record.end).toBe("text");
  });

  it("works for methods that keep no memory", async () => {
    const agent = createAgent(await loadVariant("rag"), { policy: diligentPolicy() });
    const kept = await agent.memorize(chunks);
    expect(kept.records).toEqual([]);
    expect((await agent.answer(kept, "When is the picnic?")).answer).toContain("Sunday");
  });

  it("graph() is the same agent for LangGraph", async () => {
    const heard: SessionRecord[] = [];
    const agent = createAgent(await uma(), { policy: diligentPolicy(), onRecord: (record) => heard.push(record) });
    const kept = await agent.memorize(chunks);
    const { answer } = await agent.answer(kept, "When is the picnic?");
    heard.length = 0;
    const { answers, core } = await agent.graph().invoke({ chunks, questions: ["When is the picnic?"] });
    expect(answers.q1?.answer).toBe(answer);
    expect(core).toBe(kept.memory.core);
    expect(heard).toHaveLength(4);
  });
});
