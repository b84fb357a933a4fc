import { describe, expect, it } from "vitest";
import { addEntry, type Bank, emptyBank, similarTitles } from "../../memory/bank.ts";

const bankOf = (titles: readonly string[]): Bank =>
  titles.reduce((bank, title) => {
    const written = addEntry(bank, { title, content: "" }, { chunk: null, session: "s" });
    if (!written.ok) throw new Error(written.hint);
    return written.bank;
  }, emptyBank);

describe("similar titles", () => {
  const bank = bankOf(["Groceries 2024-04", "Rent", "Transportation", "Café visits", "groceries_2024-05"]);

  it("finds other case, spacing, accents and typing errors", () => {
    expect(similarTitles(bank, "rent ", 1)).toEqual(["Rent"]);
    expect(similarTitles(bank, "transportaton", 1)).toEqual(["Transportation"]);
    expect(similarTitles(bank, "cafe visits", 1)).toEqual(["Café visits"]);
    expect(similarTitles(bank, "Groceries 2024/05", 2)).toEqual(["groceries_2024-05", "Groceries 2024-04"]);
  });

  it("gives at most the limit, the closest first, and nothing where nothing is close", () => {
    expect(similarTitles(bank, "groceries", 1)).toHaveLength(1);
    expect(similarTitles(bank, "groceries", 0)).toEqual([]);
    expect(similarTitles(bank, "zzzz", 5)).toEqual([]);
    expect(similarTitles(emptyBank, "a", 5)).toEqual([]);
  });

  it("keeps bank order between equally close titles", () => {
    expect(similarTitles(bankOf(["ab 1", "ab 2", "ab 3"]), "ab", 3)).toEqual(["ab 1", "ab 2", "ab 3"]);
  });

  it("looks at the newest and the oldest of a large bank, each title once", () => {
    const titles = Array.from({ length: 3_000 }, (_, at) => `entry ${String(at).padStart(4, "0")}`);
    const large = bankOf(titles);
    expect(similarTitles(large, "Entry 0007", 1)).toEqual(["entry 0007"]);
    expect(similarTitles(large, "Entry 2999", 1)).toEqual(["entry 2999"]);
    for (const size of [3, 999, 1_000, 1_001, 1_500]) {
      const found = similarTitles(bankOf(titles.slice(0, size)), "entry", 5_000);
      expect(found.length).toBe(Math.min(size, 1_000));
      expect(new Set(found).size).toBe(found.length);
    }
  });

  it("survives titles of a megabyte and of broken characters", () => {
    const odd = bankOf(["x".repeat(1_000_000), "\ud800\ud800", "\0", "\u202eabc", "   "]);
    expect(similarTitles(odd, "X".repeat(2_000_000), 3)).toEqual(["x".repeat(1_000_000)]);
    expect(similarTitles(odd, "\ud800", 9)).toContain("\ud800\ud800");
  });
});
