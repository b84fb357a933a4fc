import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canonicalJson, contentHash } from "../../base/hash.ts";

describe("content addresses", () => {
  test("are the first sixteen hex digits of SHA-256 over UTF-8", () => {
    expect(contentHash("")).toBe("e3b0c44298fc1c14");
    expect(contentHash("naïve 👍")).toBe(contentHash(new TextEncoder().encode("naïve 👍")));
  });
});

describe("canonical JSON", () => {
  test("sorts keys at every depth, keeps the order of lists, and has no blanks", () => {
    expect(canonicalJson({ b: [{ z: 1, a: null }, 2], a: { d: "x", c: true } })).toBe(
      '{"a":{"c":true,"d":"x"},"b":[{"a":null,"z":1},2]}',
    );
  });

  test("equal values give equal text whatever order they were built in", () => {
    const reversed = (value: unknown): unknown =>
      value === null || typeof value !== "object"
        ? value
        : Array.isArray(value)
          ? value.map(reversed)
          : Object.fromEntries(
              Object.entries(value)
                .reverse()
                .map(([key, held]) => [key, reversed(held)]),
            );
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(canonicalJson(reversed(value))).toBe(canonicalJson(value));
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
      { numRuns: 200 },
    );
  });

  test("a key named __proto__ is data", () => {
    expect(canonicalJson(JSON.parse('{"b":1,"__proto__":{"a":2}}'))).toBe('{"__proto__":{"a":2},"b":1}');
  });
});
