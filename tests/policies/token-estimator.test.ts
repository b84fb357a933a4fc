import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { estimateTokens } from "../../policies/token-estimator.ts";

/** True counts by two published byte-pair vocabularies (100k and 200k entries). */
const samples: [string, string, number, number][] = [
  ["dialogue", 'Caroline said, "I went to a LGBTQ support group yesterday and it was so powerful."', 19, 19],
  [
    "a tool call",
    '{"name":"memory_add","arguments":{"title":"2024-03-10 Food - lunch","content":"$12.50 at the noodle bar"}}',
    32,
    31,
  ],
  ["amounts", "7919.37, 15838.74, 23758.11, 31677.48, 39596.85", 28, 28],
  [
    "prose",
    "Everything that follows stands on the types and folders made here, so they must be right: take the time that the structure needs.",
    26,
    26,
  ],
  [
    "German",
    "Gestern sind wir mit Freunden ins Museum gegangen und haben anschließend in einem kleinen Restaurant in der Nähe des Parks zu Mittag gegessen.",
    33,
    26,
  ],
  ["Chinese", "我们昨天去了北京的故宫博物院，看到了很多古代的艺术品。天气很好，人也不算太多。", 48, 28],
];

describe("the token estimate", () => {
  it.each(samples)("lies within 0.75 to 1.5 of the true counts: %s", (_name, text, small, large) => {
    const estimate = estimateTokens(text);
    expect(estimate / small).toBeGreaterThanOrEqual(0.75);
    expect(estimate / large).toBeLessThanOrEqual(1.5);
  });

  it("is nothing for nothing and never nothing for something", () => {
    expect(estimateTokens("")).toBe(0);
    fc.assert(
      fc.property(fc.string({ unit: "binary", minLength: 1, maxLength: 30 }), (text) => estimateTokens(text) >= 1),
      { seed: 1, numRuns: 2_000 },
    );
  });

  const text = fc.oneof(
    fc.string({ unit: "binary", maxLength: 40 }),
    fc
      .array(fc.constantFrom("a", "word", " ", "\n", "12", ",", '"', "中", "é", "😀", "'s"), { maxLength: 20 })
      .map((parts) => parts.join("")),
  );

  it("never shrinks when text is added, and is additive up to two tokens at the seam", () => {
    fc.assert(
      fc.property(text, text, (left, right) => {
        const [a, b, both] = [left, right, left + right].map(estimateTokens) as [number, number, number];
        expect(both).toBeGreaterThanOrEqual(Math.max(a, b));
        expect(both).toBeLessThanOrEqual(a + b + 2);
        expect(both).toBeGreaterThanOrEqual(a + b - 2);
      }),
      { seed: 2, numRuns: 5_000 },
    );
  });
});
