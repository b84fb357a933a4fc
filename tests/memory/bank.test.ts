import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Bank, Written } from "../../memory/bank.ts";
import {
  addEntry,
  bankSize,
  deleteEntry,
  emptyBank,
  entriesOf,
  getEntry,
  journalOf,
  listTitles,
  updateEntry,
  versionsOf,
} from "../../memory/bank.ts";
import { bankAfter, emptyModel, seen, stepBank, stepModel, steps, titles } from "./bank-model.ts";

const by = { chunk: 0, session: "s0" };
const later = { chunk: 3, session: "s3" };

function ok(written: Written) {
  if (!written.ok) throw new Error(`refused: ${written.reason}, ${written.hint}`);
  return written;
}

/** Titles that the bank's index hashes alike; found by trying three million. */
const oneHash = ["t9kl1", "t1g5qx", "t1mi13"];

const add = (bank: Bank, title: string, content = title, writer = by) =>
  ok(addEntry(bank, { title, content }, writer)).bank;

const bankOf = (...all: string[]) => all.reduce((bank, title) => add(bank, title), emptyBank);

describe("a bank", () => {
  it("behaves like a plain ordered list of entries with a journal, whatever is done to it", () => {
    const check = fc.property(steps(60), (all) => {
      let bank = emptyBank;
      let model = emptyModel;
      const snapshots: { bank: Bank; before: ReturnType<typeof seen> }[] = [];
      for (const step of all) {
        if (snapshots.length < 5) snapshots.push({ bank, before: seen(bank) });
        const written = stepBank(bank, step);
        const expected = stepModel(model, step);
        if (typeof expected === "string") {
          expect(written).toMatchObject({ ok: false, reason: expected });
          continue;
        }
        const { bank: next, version, entry } = ok(written);
        expect(version).toEqual(expected.journal.at(-1));
        const shown = (step.op === "delete" ? model : expected).entries.find(({ id }) => id === version.entry);
        expect(entry).toEqual(shown);
        bank = next;
        model = expected;
      }
      const { entries, journal, versions } = seen(bank);
      expect(entries).toEqual(model.entries);
      expect(journal).toEqual(model.journal);
      expect(versions.flat().length).toBe(journal.length);
      for (const chain of versions) {
        expect(chain).toEqual(model.journal.filter(({ entry }) => entry === chain[0]?.entry));
      }
      expect(bankSize(bank)).toBe(model.entries.length);
      expect(listTitles(bank, {}).titles).toEqual(model.entries.map(({ title }) => title));
      for (const title of titles) {
        expect(getEntry(bank, title)).toEqual(model.entries.find((entry) => entry.title === title));
      }
      // what was taken before is as it was
      for (const snapshot of snapshots) expect(seen(snapshot.bank)).toEqual(snapshot.before);
    });
    fc.assert(check, { numRuns: 300, seed: 1 });
  });

  it("keeps id and place of an entry that is updated or renamed", () => {
    const bank = ok(updateEntry(bankOf("a", "b", "c"), { title: "b", content: "new", newTitle: "z" }, later)).bank;
    expect(listTitles(bank, {}).titles).toEqual(["a", "z", "c"]);
    expect(getEntry(bank, "b")).toBeUndefined();
    expect(getEntry(bank, "z")).toEqual({
      id: "e2",
      title: "z",
      content: "new",
      version: 2,
      lineage: { origin: by, touches: [later] },
    });
  });

  it("makes a new entry with a new id at the end when a deleted title is used again", () => {
    const bank = add(ok(deleteEntry(bankOf("a", "b"), "a", later)).bank, "a", "again", later);
    expect([...entriesOf(bank)].map(({ id, title }) => [id, title])).toEqual([
      ["e2", "b"],
      ["e3", "a"],
    ]);
    expect(versionsOf(bank, "e1").map(({ op, version }) => [op, version])).toEqual([
      ["add", 1],
      ["delete", 2],
    ]);
    expect(versionsOf(bank, "e3")).toHaveLength(1);
  });

  it("counts an update that changes nothing as a touch", () => {
    const bank = ok(updateEntry(bankOf("a"), { title: "a", content: "a", newTitle: "a" }, later)).bank;
    expect(getEntry(bank, "a")).toMatchObject({ version: 2, lineage: { touches: [later] } });
    expect([...journalOf(bank)]).toHaveLength(2);
  });

  it("takes titles as they are: case, blanks and prototype names make different titles", () => {
    const bank = titles.reduce((held, title, at) => add(held, title, String(at)), emptyBank);
    expect(bankSize(bank)).toBe(titles.length);
    for (const [at, title] of titles.entries()) expect(getEntry(bank, title)?.content).toBe(String(at));
    expect(getEntry(bank, "hasOwnProperty")).toBeUndefined();
    expect(getEntry(bank, "valueOf")).toBeUndefined();
  });

  it("tells titles with one hash apart", () => {
    const bank = bankOf(...oneHash);
    for (const [at, title] of oneHash.entries()) expect(getEntry(bank, title)?.id).toBe(`e${at + 1}`);
    const renamed = ok(updateEntry(bank, { title: oneHash[0]!, content: "", newTitle: "other" }, by)).bank;
    const less = ok(deleteEntry(renamed, oneHash[1]!, by)).bank;
    expect([...entriesOf(less)].map(({ title }) => title)).toEqual(["other", ...oneHash.slice(2)]);
    expect(getEntry(less, oneHash[0]!)).toBeUndefined();
    expect(getEntry(less, oneHash[1]!)).toBeUndefined();
    expect(getEntry(less, "other")?.id).toBe("e1");
  });

  it("refuses a title that is there, one that is not, and a rename onto another entry", () => {
    const bank = bankOf("Groceries", "Rent");
    expect(addEntry(bank, { title: "Rent", content: "" }, by)).toMatchObject({ ok: false, reason: "taken" });
    expect(updateEntry(bank, { title: "Rent", content: "", newTitle: "Groceries" }, by)).toMatchObject({
      ok: false,
      reason: "taken",
      hint: 'The title "Groceries" is taken. Update that entry, or choose another title.',
    });
    expect(updateEntry(bank, { title: "groceries", content: "" }, by)).toMatchObject({
      ok: false,
      reason: "missing",
      hint: 'No entry is titled "groceries". Similar titles: "Groceries".',
    });
    expect(deleteEntry(emptyBank, "Rent", by)).toMatchObject({
      reason: "missing",
      hint: 'No entry is titled "Rent". The bank is empty.',
    });
    expect(updateEntry(bank, { title: "nope", content: "", newTitle: "Rent" }, by)).toMatchObject({
      reason: "missing",
    });
  });

  it.each([
    ["number", 7],
    ["null", null],
    ["an empty string", ""],
    ["an array", ["a"]],
    ["undefined", undefined],
  ])("refuses a title that is %s and stores nothing", (shown, title) => {
    const bad = title as string;
    const bank = bankOf("a");
    const results = [
      addEntry(bank, { title: bad, content: "x" }, by),
      updateEntry(bank, { title: bad, content: "x" }, by),
      deleteEntry(bank, bad, by),
      ...(bad === undefined ? [] : [updateEntry(bank, { title: "a", content: "x", newTitle: bad }, by)]),
    ];
    for (const result of results) {
      expect(result).toMatchObject({ ok: false, reason: "invalid" });
      expect(result.ok ? "" : result.hint).toContain(`must be a non-empty string, got ${shown}.`);
    }
    expect(getEntry(bank, bad)).toBeUndefined();
  });

  it("refuses content that is not text; empty content is text", () => {
    for (const content of [undefined, null, 5, {}, ["x"]] as unknown as string[]) {
      expect(addEntry(emptyBank, { title: "a", content }, by)).toMatchObject({ ok: false, reason: "invalid" });
      expect(updateEntry(bankOf("a"), { title: "a", content }, by)).toMatchObject({ ok: false, reason: "invalid" });
    }
    expect(getEntry(add(emptyBank, "a", ""), "a")?.content).toBe("");
  });

  it("shows a huge title shortened in its hints, cut between characters", () => {
    const written = deleteEntry(bankOf("a"), `${"x".repeat(198)}${"😀".repeat(500_000)}`, by);
    expect(written.ok ? "" : written.hint.length).toBeLessThan(400);
    expect(written.ok ? "" : written.hint).not.toMatch(/\p{Surrogate}/u);
  });

  it("throws for a writer that is no chunk and no hand, since that is a mistake of the program", () => {
    for (const chunk of [-1, 1.5, Number.NaN]) {
      expect(() => addEntry(emptyBank, { title: "a", content: "" }, { chunk, session: "s" })).toThrow(
        "a 0-based chunk (or null)",
      );
    }
  });

  it("cannot be changed through what it returns", () => {
    const bank = ok(updateEntry(bankOf("a"), { title: "a", content: "b" }, later)).bank;
    const entry = getEntry(bank, "a")!;
    for (const change of [
      () => Object.assign(entry, { content: "x" }),
      () => Object.assign(entry.lineage, { touches: [] }),
      () => (entry.lineage.touches as unknown[]).push(by),
      () => Object.assign(entry.lineage.origin, { chunk: 9 }),
      () => Object.assign([...journalOf(bank)][0]!.after!, { content: "x" }),
      () => Object.assign(bank, { size: 0 }),
    ]) {
      expect(change).toThrow(TypeError);
    }
    const mine = { chunk: 5, session: "mine" };
    const next = add(bank, "c", "c", mine);
    mine.chunk = 6;
    expect(getEntry(next, "c")?.lineage.origin.chunk).toBe(5);
  });
});

describe("listing titles", () => {
  const bank = bankOf("Food 1", "food 2", "Rent", "Food 3");

  it("keeps those that contain the filter, in insertion order, and counts all matches beyond the limit", () => {
    expect(listTitles(bank, { filter: "Food" })).toEqual({ titles: ["Food 1", "Food 3"], total: 2 });
    expect(listTitles(bank, { filter: "Food", limit: 1 })).toEqual({ titles: ["Food 1"], total: 2 });
    expect(listTitles(bank, { limit: 2 })).toEqual({ titles: ["Food 1", "food 2"], total: 4 });
    expect(listTitles(bank, { limit: 0 })).toEqual({ titles: [], total: 4 });
    expect(listTitles(bank, { filter: "%" })).toEqual({ titles: [], total: 0 });
    expect(listTitles(bank)).toEqual(listTitles(bank, { filter: "" }));
  });
});

describe("a bank of 100,000 entries", () => {
  const size = 100_000;
  const large = Array.from({ length: size }, (_, at) => `entry ${at}`).reduce(
    (bank, title) => add(bank, title),
    emptyBank,
  );

  /** Nodes of the order trie, newly made since `known` was filled. */
  const newNodes = (bank: Bank, known: Set<unknown>) => {
    let fresh = 0;
    const walk = (node: unknown, shift: number) => {
      if (!Array.isArray(node) || known.has(node)) return;
      known.add(node);
      fresh++;
      if (shift > 0) for (const child of node) walk(child, shift - 1);
    };
    walk(bank.live.root, 99);
    return fresh;
  };

  it("shares all but a path with the bank that it was made from", () => {
    const known = new Set<unknown>();
    expect(newNodes(large, known)).toBeGreaterThan(size / 16);
    for (const written of [
      updateEntry(large, { title: "entry 50000", content: "x" }, by),
      updateEntry(large, { title: "entry 50001", content: "x", newTitle: "renamed" }, by),
      addEntry(large, { title: "one more", content: "x" }, by),
      deleteEntry(large, "entry 123", by),
    ]) {
      expect(newNodes(ok(written).bank, known)).toBeLessThanOrEqual(5);
    }
  });

  it("keeps the history of an entry that is touched 20,000 times, each write sharing all of it", () => {
    let bank = large;
    let before = ok(updateEntry(bank, { title: "entry 7", content: "" }, by)).bank;
    for (let at = 0; at < 20_000; at++) {
      before = bank;
      bank = ok(updateEntry(bank, { title: "entry 7", content: String(at) }, { chunk: at, session: "s" })).bank;
    }
    expect(bank.last?.previous).toBe(before.last);
    const { touches } = getEntry(bank, "entry 7")!.lineage;
    expect(touches.length).toBe(20_000);
    expect(touches[19_999]).toEqual({ chunk: 19_999, session: "s" });
    expect(getEntry(before, "entry 7")?.lineage.touches.length).toBe(19_999);
  });

  it("is not walked to its end for a listing with a limit, and still counts all", () => {
    const root = [...large.live.root!];
    Object.defineProperty(root, root.length - 1, {
      get: () => {
        throw new Error("walked on");
      },
    });
    const watched: Bank = { ...large, live: { ...large.live, root } };
    expect(() => listTitles(watched)).toThrow("walked on");
    expect(listTitles(watched, { limit: 3 })).toEqual({ titles: ["entry 0", "entry 1", "entry 2"], total: size });
    expect(listTitles(watched, { limit: 5_000 }).titles).toHaveLength(5_000);
    expect(listTitles(watched, { limit: 0 })).toEqual({ titles: [], total: size });
  });

  it("lists what is left, in order, when nearly all is deleted", () => {
    let bank = large;
    for (let at = 0; at < size; at++) {
      if (at % 25_000 !== 3) bank = ok(deleteEntry(bank, `entry ${at}`, by)).bank;
    }
    expect(listTitles(bank, {}).titles).toEqual(["entry 3", "entry 25003", "entry 50003", "entry 75003"]);
    expect(newNodes(bank, new Set())).toBeLessThanOrEqual(4 * 5);
  });
});

it("replays to the same bank from the same steps", () => {
  const [all] = fc.sample(steps(200), { numRuns: 1, seed: 5 });
  expect(seen(bankAfter(all!))).toEqual(seen(bankAfter(all!)));
});
