/** What docs/add-an-estimator.md says a credit rule finds on records, found on records of real sessions. */
import { describe, expect, it } from "vitest";
import { type Bank, emptyBank, entriesOf } from "../../../memory/bank.ts";
import { emptyMemory } from "../../../memory/memory.ts";
import { memoryAfter } from "../../../nodes/session/memory-after.ts";
import type { SessionRecord } from "../../../nodes/session/record.ts";
import { add, playing, remove, type Step, update } from "../../support/scripts.ts";
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
