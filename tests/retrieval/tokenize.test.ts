import { describe, expect, it } from "vitest";
import { charNGrams } from "../../retrieval/char-n-grams.ts";
import { analyserOf, cjk, rankBm25, word } from "../../retrieval/tokenize.ts";

describe("the word analyser", () => {
  it.each([
    ["Hello, World! 12.50", ["hello", "world", "12", "50"]],
    ["don't-stop snake_case", ["don", "t", "stop", "snake", "case"]],
    ["Café CAFÉ cafe\u0301", ["cafe", "cafe", "cafe"]],
    ["ΟΔΟΣ οδός", ["οδοσ", "οδοσ"]],
    ["Ёлка елка й", ["елка", "елка", "и"]],
    ["İstanbul Straße ﬁne ２０２４", ["istanbul", "straße", "fine", "2024"]],
    ["हिन्दी में", ["हिन्दी", "में"]],
    ["한국어 말", ["한국어", "말"]],
    ["عَرَبِيّ", ["عَرَبِيّ".normalize("NFC")]],
    ["🙂 … —", []],
    ["\0\u200b \ud800 a\ud800b", ["a", "b"]],
    ["", []],
  ])("%j", (text, terms) => {
    expect(word(text)).toEqual(terms);
  });
});

describe("the cjk analyser", () => {
  it("makes every character and every pair of neighbours a term", () => {
    expect(cjk("東京都")).toEqual(["東", "京", "都", "東京", "京都"]);
    expect(cjk("猫")).toEqual(["猫"]);
    expect(cjk("カメラ が")).toEqual(["カ", "メ", "ラ", "カメ", "メラ", "が"]);
  });

  it("separates scripts that touch", () => {
    expect(cjk("iPhone15を買った")).toEqual(["iphone15", "を", "買", "っ", "た", "を買", "買っ", "った"]);
  });

  it("equals the word analyser on text without these scripts", () => {
    for (const text of ["It cost 12.50 at the Café.", "Ёлка", "हिन्दी", ""]) expect(cjk(text)).toEqual(word(text));
  });

  it("keeps characters outside the first plane whole", () => {
    expect(cjk("𠮷野")).toEqual(["𠮷", "野", "𠮷野"]);
  });
});

describe("the rank-bm25 analyser", () => {
  it("drops punctuation before it splits, as published", () => {
    expect(rankBm25("don't-stop U.S.A. 3,000 snake_case\t[2024-01-10]")).toEqual([
      "dontstop",
      "usa",
      "3000",
      "snake_case",
      "20240110",
    ]);
  });
});

describe("analysers by name", () => {
  it("gives the named one or the function", () => {
    const own = () => ["x"];
    expect(analyserOf("word")).toBe(word);
    expect(analyserOf(own)).toBe(own);
    expect(() => analyserOf("toString" as "word")).toThrow(/analyser: expected one of word, cjk, rank-bm25/);
  });
});

describe("character n-grams", () => {
  it("of a word with a blank at either end, shortest to longest", () => {
    // " cat ": 3 of three, 2 of four
    expect(charNGrams()("cat")).toHaveLength(5);
    expect(new Set(charNGrams()("cat")).size).toBe(5);
    expect(charNGrams({ shortest: 2, longest: 2 })("a b")).toHaveLength(4);
  });

  it("are hashes below 2^18, equal for equal parts", () => {
    const adopt = new Set(charNGrams()("adopted"));
    const shared = charNGrams()("adoption").filter((gram) => adopt.has(gram));
    // " ad ado dop opt" and " ado adop dopt"
    expect(shared).toHaveLength(7);
    for (const gram of charNGrams()("Καλημέρα 世界 résumé")) {
      expect(Number.isInteger(gram)).toBe(true);
      expect(gram).toBeGreaterThanOrEqual(0);
      expect(gram).toBeLessThan(1 << 18);
    }
  });

  it("of a text without words are none", () => {
    expect(charNGrams()(" … 🙂")).toEqual([]);
  });

  it("lengths that make no sense are refused", () => {
    expect(() => charNGrams({ shortest: 4, longest: 3 })).toThrow(/expected lengths/);
    expect(() => charNGrams({ shortest: 0 })).toThrow(/expected lengths/);
  });
});
