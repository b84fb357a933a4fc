/** Whole trajectories, not single sessions: the variant's loop and the agent graph, under a policy that does anything. */
import { MemorySaver } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { rng } from "../../base/rng.ts";
import { createAgentGraph } from "../../graphs/agent.ts";
import { graphDeps } from "../../graphs/default-deps.ts";
import { loadVariant } from "../../graphs/variants/load-variant.ts";
import type { Variant, VariantEnv } from "../../graphs/variants/variant.ts";
import { memoryCodec } from "../../memory/codec.ts";
import { emptyMemory, type Memory } from "../../memory/memory.ts";
import { memoryAfter } from "../../nodes/session/memory-after.ts";
import { type SessionRecord, withoutTimes } from "../../nodes/session/record.ts";
import type { Policy } from "../../policies/policy.ts";
import { createSource } from "../../retrieval/source.ts";
import { toolsets } from "../../tools/toolsets.ts";
import { add, list, perCharacter, read, remove, type Step, sampleOf, update } from "../support/scripts.ts";

const chunks = Array.from({ length: 12 }, (_, k) => `Chunk ${k}: ${"someone did something somewhere. ".repeat(6)}`);
const questions = Array.from({ length: 8 }, (_, j) => ({ id: `q${j}`, text: `What of chunk ${j}?` }));
const limits = { promptTokens: 4_000, interactionTokens: 1_500, maxTurns: 4, maxCalls: 3, maxObservation: 400 };

/** Stateless: what it does in a turn is drawn from the turn's seed, so both drivers meet the same fate in any order. */
const chaotic: Policy = {
  name: "chaotic",
  scripted: true,
  weights: null,
  countTokens: perCharacter,
  async sample({ seed, messages }) {
    const random = rng(seed, "chaos");
    const turn = messages.filter((message) => message.getType() === "ai").length;
    const title = () => random.pick(["a", "b", "c", "__proto__", `t${random.int(0, 30)}`]);
    const call = () =>
      random.pick([
        add(title(), "x".repeat(random.int(0, 300))),
        update(title(), "new", random.next() < 0.4 ? title() : undefined),
        remove(title()),
        read(title()),
        list(random.next() < 0.5 ? "t" : undefined),
        ["memory_bm25_retrieve", { query: "someone", top_k: random.pick([1, "2", 50, -1]) }] as const,
        ["no_such_tool", {}] as const,
        { name: "", args: null, error: "The arguments are not JSON." },
      ]);
    const step: Step =
      random.next() < 0.05
        ? { fail: new Error("503 from the server") }
        : random.next() < 0.78
          ? { text: random.pick(["", "Let me see."]), calls: Array.from({ length: random.int(1, 5) }, call) }
          : { text: random.pick([`Core ${random.int(0, 99)}.`, "", "<tool_call>{", `${"long ".repeat(400)}`]) };
    return sampleOf(step, turn);
  },
};

async function looped(seed: number) {
  const variant = (await loadVariant("uma")) as Variant<Memory>;
  const records: SessionRecord[] = [];
  const env: VariantEnv = {
    policy: chaotic,
    source: createSource(chunks),
    toolset: toolsets.paper,
    prompts: graphDeps({ policy: chaotic }).prompts,
    limits,
    run: "chaos",
    context: "stream",
    trajectory: 0,
    seed,
    record: (record) => records.push(record),
  };
  let memory = variant.begin();
  const sessionOf = (k: number) => (k < 0 ? null : `stream/t0/m${k}`);
  for (let k = 0; k < chunks.length; k++)
    memory = await variant.memorize(memory, k, { ...env, parent: sessionOf(k - 1) });
  const position = chunks.length - 1;
  for (const question of questions)
    await variant.answer(memory, { ...question, position }, { ...env, parent: sessionOf(position) });
  return { memory, records };
}

const byId = (records: readonly SessionRecord[]) => records.map(withoutTimes).sort((a, b) => (a.id < b.id ? -1 : 1));
const bytes = (memory: Memory) => Buffer.from(memoryCodec.encode(memory)).toString("hex");

describe("a whole trajectory under a policy that does anything", () => {
  it.each([1, 2, 3])("seed %i: loop and graph give the same records and the same memory", async (seed) => {
    const loop = await looped(seed);
    const ends = new Set(loop.records.map((record) => record.end));
    expect(ends.size).toBeGreaterThan(2);

    const records: SessionRecord[] = [];
    const deps = graphDeps({ policy: chaotic, limits, record: (record) => records.push(record) });
    const variant = await loadVariant("uma");
    // with a checkpointer, so that every value also passes through serialisation
    const graph = createAgentGraph(variant.phases(deps), { checkpointer: new MemorySaver() });
    const identity = { run: "chaos", context: "stream", trajectory: 0, question: null, parent: null, seed, attempt: 1 };
    const done = await graph.invoke({ chunks, questions, identity }, { configurable: { thread_id: "1" } });

    expect(byId(records)).toEqual(byId(loop.records));
    expect(bytes({ core: done.core, bank: deps.live.bank(done.memoryRef) })).toBe(bytes(loop.memory));
    expect(Object.keys(done.answers)).toEqual(questions.map(({ id }) => id));
  });

  it("the records alone give the memory, whatever happened", async () => {
    for (let seed = 10; seed < 40; seed++) {
      const { memory, records } = await looped(seed);
      const replayed = records.reduce(memoryAfter, emptyMemory);
      expect(bytes(replayed)).toBe(bytes(memory));
    }
  });

  it("a session that failed left neither core nor entry behind, one that ended otherwise left what its record says", async () => {
    const { records } = await looped(4);
    const sessions = records.filter((record) => record.stage === "memory");
    for (const [k, record] of sessions.entries()) {
      expect(record.core?.before).toBe(sessions[k - 1]?.core?.after ?? "");
      if (record.end !== "text") expect(record.core?.after).toBe(record.core?.before);
    }
    expect(sessions.filter((record) => record.end === "error").length).toBeGreaterThan(0);
  });
});
