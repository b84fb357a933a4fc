/**
 * What every variant must hold, whatever its memory is (contracts §7): memory is a value, answers only read it, nothing
 * later is shown, records are all that leaves a session, and its graph is the same method.
 *
 * A new variant passes by being a folder: tests/graphs/variants.test.ts runs this over every name that it finds.
 */
import { describe, expect, it } from "vitest";
import { createAgentGraph } from "../../graphs/agent.ts";
import { graphDeps } from "../../graphs/default-deps.ts";
import { loadVariant } from "../../graphs/variants/load-variant.ts";
import type { Variant, VariantEnv, VariantQuestion } from "../../graphs/variants/variant.ts";
import { loadPrompts } from "../../nodes/prompts/prompts.ts";
import { SessionLimits } from "../../nodes/session/limits.ts";
import { type SessionRecord, withoutTimes } from "../../nodes/session/record.ts";
import type { Policy } from "../../policies/policy.ts";
import { createSource } from "../../retrieval/source.ts";
import { toolsets } from "../../tools/toolsets.ts";
import { diligentPolicy } from "../support/diligent-policy.ts";

const marker = "ZEBRA-4711";
const chunks = [
  "Ada moved to Lisbon in March. The secret word is not told yet.",
  "Mara works at the observatory. Nobody knows the secret word.",
  `Ben whispers: the secret word is ${marker}. The secret word again: ${marker}.`,
  "The picnic is on Sunday.",
];
const source = createSource(chunks);
const last = chunks.length - 1;
const questions: readonly VariantQuestion[] = [
  { id: "who", text: "Who moved to Lisbon?", position: last },
  { id: "secret", text: "What is the secret word?", position: last },
  { id: "when", text: "When is the picnic?", position: last },
];

interface Trajectory<Memory> {
  readonly records: SessionRecord[];
  readonly env: VariantEnv;
  /** The memory before the first chunk and after each one. */
  readonly memories: Memory[];
}

async function memorizeAll(
  variant: Variant,
  policy: Policy = diligentPolicy(),
  more: Partial<VariantEnv> = {},
): Promise<Trajectory<unknown>> {
  const records: SessionRecord[] = [];
  const env: VariantEnv = {
    policy,
    source,
    toolset: toolsets.paper,
    prompts: loadPrompts(),
    limits: SessionLimits.parse({}),
    run: "contract",
    context: "stream",
    trajectory: 0,
    seed: 5,
    record: (record) => records.push(record),
    ...more,
  };
  const memories = [variant.begin()];
  for (let k = 0; k < chunks.length; k++)
    memories.push(await variant.memorize(memories.at(-1), k, { ...env, parent: sessionOf(variant, k - 1) }));
  return { records, env, memories };
}

const sessionOf = ({ keepsMemory }: Variant, k: number) => (keepsMemory && k >= 0 ? `stream/t0/m${k}` : null);
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");
const qa = (records: readonly SessionRecord[]) => records.filter((record) => record.stage === "qa").map(withoutTimes);

export function variantContract(spec: string) {
  describe(`variant contract: ${spec}`, () => {
    const load = () => loadVariant(spec);
    const bytesOf = (variant: Variant, memory: unknown) => hex(variant.codec.encode(memory));

    it("is named as it was asked for, and says which row of the paper it is", async () => {
      const variant = await load();
      expect(variant.name).toBe(spec);
      expect(variant.paper).not.toBe("");
      expect(variant.description).not.toBe("");
    });

    it("rule 7: the memory is built once, one session per chunk at most, however many questions follow", async () => {
      const variant = await load();
      const { records, env, memories } = await memorizeAll(variant);
      const sessions = records.filter((record) => record.stage === "memory");
      expect(sessions.map((record) => record.position)).toEqual(variant.keepsMemory ? [0, 1, 2, 3] : []);
      for (const question of questions) await variant.answer(memories.at(-1), question, env);
      expect(records.filter((record) => record.stage === "memory")).toHaveLength(sessions.length);
    });

    it("memorize gives a new memory and leaves the one that it was given as it was", async () => {
      const variant = await load();
      const { memories, env } = await memorizeAll(variant);
      const bytes = memories.map((memory) => bytesOf(variant, memory));
      const branch = await variant.memorize(memories[1], 2, { ...env, trajectory: 1 });
      await variant.memorize(branch, 3, { ...env, trajectory: 1 });
      expect(memories.map((memory) => bytesOf(variant, memory))).toEqual(bytes);
      if (variant.keepsMemory) expect(new Set(bytes).size).toBe(chunks.length + 1);
    });

    it("answering never changes the memory", async () => {
      const variant = await load();
      const { memories, env } = await memorizeAll(variant);
      const before = bytesOf(variant, memories.at(-1));
      for (const question of questions) await variant.answer(memories.at(-1), question, env);
      expect(bytesOf(variant, memories.at(-1))).toBe(before);
    });

    it("the order of questions does not matter, nor whether they are asked at once", async () => {
      const variant = await load();
      const { memories, env } = await memorizeAll(variant);
      const ask = async (order: readonly VariantQuestion[], atOnce: boolean) => {
        const records: SessionRecord[] = [];
        const asking = { ...env, record: (record: SessionRecord) => records.push(record) };
        if (atOnce) await Promise.all(order.map((question) => variant.answer(memories.at(-1), question, asking)));
        else for (const question of order) await variant.answer(memories.at(-1), question, asking);
        return qa(records).sort((one, other) => (one.id < other.id ? -1 : 1));
      };
      const expected = await ask(questions, false);
      expect(await ask([...questions].reverse(), false)).toEqual(expected);
      expect(await ask(questions, true)).toEqual(expected);
    });

    it("what is answered is on the record: the answer, the question, the variant", async () => {
      const variant = await load();
      const { memories, env, records } = await memorizeAll(variant);
      for (const question of questions) {
        const answer = await variant.answer(memories.at(-1), question, env);
        const record = records.at(-1)!;
        expect(record).toMatchObject({
          stage: "qa",
          question: question.id,
          position: last,
          answer,
          variant: spec,
          end: "text",
        });
        expect(answer).not.toBeNull();
      }
      expect(new Set(records.map((record) => record.id)).size).toBe(records.length);
      expect(
        records.every((record) => record.variant === spec && record.run === "contract" && record.context === "stream"),
      ).toBe(true);
    });

    it("the codec gives the same memory back, and it answers the same", async () => {
      const variant = await load();
      const { memories, env } = await memorizeAll(variant);
      for (const memory of memories) {
        const copy = variant.codec.decode(variant.codec.encode(memory));
        expect(bytesOf(variant, copy)).toBe(bytesOf(variant, memory));
      }
      const copy = variant.codec.decode(variant.codec.encode(memories.at(-1)));
      for (const question of questions)
        expect(await variant.answer(copy, question, env)).toBe(await variant.answer(memories.at(-1), question, env));
    });

    it("a memory at chunk k shows nothing of later chunks", async () => {
      const variant = await load();
      const { memories, env, records } = await memorizeAll(variant);
      records.length = 0;
      await variant.answer(memories[2], { id: "early", text: "What is the secret word?", position: 1 }, env);
      expect(JSON.stringify(records)).not.toContain(marker);
      expect(JSON.stringify(records)).not.toContain("picnic");
      await variant.answer(memories[3], { id: "late", text: "What is the secret word?", position: 2 }, env);
      expect(JSON.stringify(records.slice(1))).toContain(marker);
      expect(JSON.stringify(records.slice(1))).not.toContain("picnic");
    });

    it("replaying the records gives the live memory, chunk by chunk", async () => {
      const variant = await load();
      const { memories, records } = await memorizeAll(variant);
      let replayed = variant.begin();
      for (const record of records) {
        // as a log gives it back
        replayed = variant.replay(replayed, JSON.parse(JSON.stringify(record)));
        if (record.stage === "memory")
          expect(bytesOf(variant, replayed)).toBe(bytesOf(variant, memories[record.position + 1]));
      }
      expect(bytesOf(variant, replayed)).toBe(bytesOf(variant, memories.at(-1)));
    });

    it("the same seed gives the same records; another trajectory or seed samples from other seeds", async () => {
      const variant = await load();
      const seeds = async (more: Partial<VariantEnv>) => {
        const seen: number[] = [];
        const inner = diligentPolicy();
        const policy: Policy = {
          ...inner,
          sample(request) {
            seen.push(request.seed);
            return inner.sample(request);
          },
        };
        const { env, memories, records } = await memorizeAll(variant, policy, more);
        await variant.answer(memories.at(-1), questions[0]!, env);
        return { seen, records: records.map(withoutTimes) };
      };
      const first = await seeds({});
      expect(await seeds({})).toEqual(first);
      expect(new Set(first.seen).size).toBe(first.seen.length);
      for (const other of [{ trajectory: 1 }, { seed: 6 }])
        expect((await seeds(other)).seen.filter((seed) => first.seen.includes(seed))).toEqual([]);
    });

    it("a session that fails gives the memory back unchanged, or no answer, and a record with the error", async () => {
      const variant = await load();
      const { memories, env, records } = await memorizeAll(variant);
      const down = { ...env, policy: diligentPolicy({ failOn: () => true }) };
      records.length = 0;
      const after = await variant.memorize(memories[2], 2, down);
      expect(bytesOf(variant, after)).toBe(bytesOf(variant, memories[2]));
      expect(await variant.answer(memories.at(-1), questions[0]!, down)).toBeNull();
      expect(records).toHaveLength(variant.keepsMemory ? 2 : 1);
      for (const record of records) {
        expect(record).toMatchObject({
          end: "error",
          error: { boundary: "policy", message: "the server is down" },
          answer: null,
        });
        expect(bytesOf(variant, variant.replay(memories[2], record))).toBe(bytesOf(variant, memories[2]));
      }
    });

    it("its two phases as graphs give the same records as the loop", async () => {
      const variant = await load();
      const looped = await memorizeAll(variant);
      for (const question of questions)
        await variant.answer(looped.memories.at(-1), question, { ...looped.env, parent: sessionOf(variant, last) });

      const records: SessionRecord[] = [];
      const deps = graphDeps({ policy: diligentPolicy(), record: (record) => records.push(record) });
      const graph = createAgentGraph(variant.phases(deps));
      const { answers, core } = await graph.invoke({
        chunks,
        questions: questions.map(({ id, text }) => ({ id, text })),
        identity: {
          run: "contract",
          context: "stream",
          trajectory: 0,
          question: null,
          parent: null,
          seed: 5,
          attempt: 1,
        },
      });
      const byId = (list: SessionRecord[]) => list.map(withoutTimes).sort((one, other) => (one.id < other.id ? -1 : 1));
      expect(byId(records)).toEqual(byId(looped.records));
      expect(answers).toEqual(
        Object.fromEntries(
          qa(looped.records).map(({ question, answer, end }) => [question, { answer, end, error: null }]),
        ),
      );
      const lastMemory = looped.records.filter((record) => record.stage === "memory").at(-1);
      expect(core).toBe(lastMemory?.core?.after ?? "");
    });

    it("its graph draws with every step of both phases in sight", async () => {
      const variant = await load();
      const graph = createAgentGraph(variant.phases(graphDeps({ policy: diligentPolicy() })));
      const drawn = await graph.getGraphAsync({ xray: true } as never);
      const mermaid = drawn.drawMermaid();
      for (const node of ["sampleAction", "executeTools", "finishSession"]) expect(mermaid).toContain(node);
      // a phase of one step, as of variants that only keep the chunks, is drawn as that step
      if (variant.keepsMemory) expect(mermaid).toMatch(/^\s*subgraph memorize$/m);
      expect(mermaid).toMatch(/^\s*subgraph answer$/m);
    });
  });
}
