/** What docs/add-an-estimator.md says a credit rule finds on records, found on records of real sessions. */
import { describe, expect, it } from "vitest";
import { type Bank, emptyBank, entriesOf } from "../../../memory/bank.ts";
import { emptyMemory } from "../../../memory/memory.ts";
import { memoryAfter } from "../../../nodes/session/memory-after.ts";
import type { SessionRecord } from "../../../nodes/session/record.ts";
import { tracePartsOf } from "../../../nodes/session/recorded-trace.ts";
import { withTokens } from "../../../policies/message-tokens.ts";
import type { Policy } from "../../../policies/policy.ts";
import { add, playing, remove, type Step, sampleOf, update } from "../../support/scripts.ts";
import { throughLoop } from "../../support/sessions.ts";

async function session(stage: "memory" | "qa", position: number, bank: Bank, calls: Step["calls"]) {
  const run = await throughLoop(playing([{ ...(calls && { calls }) }, { text: `text ${position}` }]), {
    bank,
    input: { stage, position },
  });
  return { record: run.record, bank: run.bank() };
}

/** Chunk 0 adds a and b, chunk 1 rewrites a and deletes b, chunk 2 adds c; the question reads a and c. */
const first = await session("memory", 0, emptyBank, [add("a", "1"), add("b", "1")]);
const second = await session("memory", 1, first.bank, [update("a", "2"), remove("b")]);
const third = await session("memory", 2, second.bank, [add("c", "3")]);
const question = await session("qa", 2, third.bank, [
  ["memory_key_retrieve", { title: "a" }],
  ["memory_key_retrieve", { title: "c" }],
]);
const trajectory: readonly SessionRecord[] = [first, second, third].map(({ record }) => record);
const writes = trajectory.flatMap(({ position, calls }) =>
  calls.flatMap((call) => call.writes.map((write) => ({ ...write, position }))),
);
const titled = (title: string) => writes.find(({ after }) => after?.title === title)!.entry;

describe("lineage and reads", () => {
  it("provenance and recipients (Uni-Mem ECA): every chunk that touched an entry, deleted entries included", () => {
    const provenance = (entry: string) => writes.filter((write) => write.entry === entry).map(({ chunk }) => chunk);
    expect([provenance(titled("a")), provenance(titled("b")), provenance(titled("c"))]).toEqual([[0, 1], [0, 1], [2]]);
  });

  it("M_j and φ(m) (EARA): what the answer read, and who wrote it first and last", () => {
    const read = question.record.calls.flatMap(({ reads }) => reads.map(({ id }) => id));
    const authors = (entry: string) => writes.filter((write) => write.entry === entry).map(({ position }) => position);
    expect(read).toEqual([titled("a"), titled("c")]);
    expect(read.map((entry) => [authors(entry)[0], authors(entry).at(-1)])).toEqual([
      [0, 1],
      [2, 2],
    ]);
  });
});

describe("lineage on the write itself (schema 2)", () => {
  const write = (position: number, title: string) =>
    writes.find((found) => found.position === position && (found.after ?? found.before)!.title === title)!;

  it("who created the entry, and who wrote the version before: attribution follows writes without a replay", () => {
    const [created, rewritten, deleted] = [write(0, "a"), write(1, "a"), write(1, "b")];
    const [one] = trajectory;
    expect(created.lineage).toEqual({ origin: { chunk: 0, session: one!.id }, previous: null });
    expect(rewritten.lineage).toEqual({ origin: created.lineage!.origin, previous: created.lineage!.origin });
    expect(deleted.lineage!.origin.chunk).toBe(0);
  });

  it("equal texts are found by hash: what a stored-information score is cached by", () => {
    const again = write(0, "a");
    expect(write(1, "a").hash.before).toBe(again.hash.after);
    expect(write(1, "b").hash.after).toBeNull();
  });

  it("the memory a session started from, also when it is of another trajectory (shared bank, inner rollouts)", async () => {
    const shared = trajectory[2]!.id;
    const { record } = await throughLoop(playing([{ text: "an answer" }]), {
      bank: third.bank,
      input: {
        stage: "qa",
        position: 2,
        identity: { run: "r", context: "c", trajectory: 7, question: "q", parent: shared, seed: 0, attempt: 1 },
      },
    });
    expect(record).toMatchObject({ trajectory: 7, parent: shared });
  });
});

describe("tokens of a token-exact policy (event credit, HiMPO, PA-DAPO)", () => {
  it("each call's tokens, and each step's", async () => {
    const steps: Step[] = [{ calls: [add("a", "1"), add("b", "2")] }, { text: "done" }];
    // turn 0 samples 10..15, of which 11, 12 are the first call and 13, 14 the second; turn 1 samples 20
    const sampled = [
      { prompt: [1, 2], completion: [10, 11, 12, 13, 14, 15] },
      { prompt: [3], completion: [20] },
    ];
    let turn = 0;
    const policy: Policy = {
      ...playing([]),
      async sample() {
        const at = turn++;
        const sample = sampleOf(steps[at]!, at);
        const { prompt, completion } = sampled[at]!;
        const calls = at === 0 ? [1, 3].map((start, n) => ({ id: `call-0-${n}`, start, end: start + 2 })) : [];
        const tokens = { restart: false, prompt: Int32Array.from(prompt), completion: Int32Array.from(completion) };
        const logprobs = Float32Array.from(completion, () => -1);
        return { ...sample, message: withTokens(sample.message, { ...tokens, logprobs, weights: "w1", calls }) };
      },
    };
    const { record } = await throughLoop(policy);
    const [part] = tracePartsOf(record.trace!);
    const tokensOf = (id: string) => {
      const held = record.trace!.turns.find(({ calls }) => calls.some((call) => call.id === id))!;
      const span = held.calls.find((call) => call.id === id)!;
      return [...part!.ids.subarray(held.start + span.start, held.start + span.end)];
    };
    expect(record.calls.map(({ id }) => tokensOf(id))).toEqual([
      [11, 12],
      [13, 14],
    ]);
    const steps0 = record.trace!.turns.map(({ start, end }) => [...part!.ids.subarray(start, end)]);
    expect(steps0).toEqual([[10, 11, 12, 13, 14, 15], [20]]);
    expect(record.trace!.turns.map(({ weights }) => weights)).toEqual(["w1", "w1"]);
  });
});

describe("snapshots by replay", () => {
  const memoryBefore = (k: number) => trajectory.slice(0, k).reduce(memoryAfter, emptyMemory);

  it("the memory before a session (LoGo), with ids, versions and lineage", () => {
    expect([...entriesOf(memoryBefore(2).bank)]).toEqual([...entriesOf(second.bank)]);
    expect([...entriesOf(memoryBefore(3).bank)]).toEqual([...entriesOf(third.bank)]);
    expect(memoryBefore(3).core).toBe("text 2");
  });

  it("the memory before a single call (HiMPO)", () => {
    const record = trajectory[1]!;
    const halfway = memoryAfter(memoryBefore(1), { ...record, calls: record.calls.slice(0, 1), core: null });
    expect([...entriesOf(halfway.bank)].map(({ title, content }) => [title, content])).toEqual([
      ["a", "2"],
      ["b", "1"],
    ]);
    expect(halfway.core).toBe("text 0");
  });
});
