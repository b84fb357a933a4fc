import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addEntry, type Bank, deleteEntry, diffBanks, emptyBank, entriesOf, updateEntry } from "../../memory/bank.ts";
import { memoryCodec } from "../../memory/codec.ts";
import { bankAfter, seen, steps } from "./bank-model.ts";

const by = { chunk: 0, session: "s" };

function change(bank: Bank, ...writes: ((bank: Bank) => ReturnType<typeof deleteEntry>)[]): Bank {
  return writes.reduce((held, write) => {
    const written = write(held);
    if (!written.ok) throw new Error(written.hint);
    return written.bank;
  }, bank);
}

const adding =
  (title: string, content = "") =>
  (bank: Bank) =>
    addEntry(bank, { title, content }, by);
const updating = (title: string, content: string, newTitle?: string) => (bank: Bank) =>
  updateEntry(bank, { title, content, newTitle }, by);
const deleting = (title: string) => (bank: Bank) => deleteEntry(bank, title, by);

const names = (bank: Bank, other: Bank) => {
  const { added, updated, deleted } = diffBanks(bank, other);
  return {
    added: added.map(({ title }) => title),
    updated: updated.map(({ before, after }) => [before.title, after.title]),
    deleted: deleted.map(({ title }) => title),
  };
};

describe("the difference of two banks", () => {
  const start = change(emptyBank, adding("a"), adding("b"), adding("c"), adding("d"));

  it("names what was added, updated, renamed and deleted, in insertion order", () => {
    const end = change(start, adding("e"), updating("d", "new"), deleting("b"), updating("a", "", "z"));
    expect(names(start, end)).toEqual({
      added: ["e"],
      updated: [
        ["a", "z"],
        ["d", "d"],
      ],
      deleted: ["b"],
    });
  });

  it("is a delete and an add when a title was deleted and used again", () => {
    const end = change(start, deleting("b"), adding("b", "again"));
    expect(names(start, end)).toEqual({ added: ["b"], updated: [], deleted: ["b"] });
  });

  it("tells entries of two branches apart, though they have the same id", () => {
    const one = change(start, adding("mine", "1"));
    const other = change(start, adding("yours", "2"));
    expect(names(one, other)).toEqual({ added: ["yours"], updated: [], deleted: ["mine"] });
  });

  it("is empty for a bank and itself, also when one came back from bytes", () => {
    const bank = change(start, updating("b", "x"), deleting("c"));
    const again = memoryCodec.decode(memoryCodec.encode({ core: "", bank })).bank;
    for (const other of [bank, again]) {
      expect(diffBanks(bank, other)).toEqual({ added: [], updated: [], deleted: [] });
    }
  });

  it("turns the one list of entries into the other, for any two banks of one history", () => {
    fc.assert(
      fc.property(steps(30), steps(30), (first, second) => {
        const before = bankAfter(first);
        const after = bankAfter(second, before);
        const { added, updated, deleted } = diffBanks(before, after);
        const gone = new Set(deleted.map(({ id }) => id));
        const replaced = new Map(updated.map((pair) => [pair.before.id, pair.after]));
        const patched = [...entriesOf(before)]
          .filter(({ id }) => !gone.has(id))
          .map((entry) => replaced.get(entry.id) ?? entry);
        expect([...patched, ...added]).toEqual(seen(after).entries);
        for (const pair of updated) expect(pair.after.version).toBeGreaterThan(pair.before.version);
      }),
      { numRuns: 200, seed: 2 },
    );
  });
});
