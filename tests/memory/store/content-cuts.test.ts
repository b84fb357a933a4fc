import { describe, expect, it } from "vitest";
import { rng } from "../../../base/rng.ts";
import { contentCuts } from "../../../memory/store/content-cuts.ts";

const noise = (length: number) => {
  const random = rng("content-cuts", length);
  return Buffer.from(Array.from({ length }, () => random.int(0, 255)));
};
const pieces = (bytes: Uint8Array) => [...contentCuts(bytes)].map((piece) => Buffer.from(piece));

describe("cutting bytes where their content says", () => {
  const bytes = noise(400_000);

  it("gives the bytes back, in pieces of 1 to 16 kilobytes, about 5 on average", () => {
    const cut = pieces(bytes);
    expect(Buffer.concat(cut).equals(bytes)).toBe(true);
    for (const piece of cut.slice(0, -1)) expect(piece.length).toBeGreaterThan(1_024);
    for (const piece of cut) expect(piece.length).toBeLessThanOrEqual(16_384);
    expect(bytes.length / cut.length).toBeGreaterThan(3_500);
    expect(bytes.length / cut.length).toBeLessThan(7_000);
    expect(pieces(Buffer.alloc(0))).toEqual([]);
    expect(pieces(Buffer.alloc(40_000)).map(({ length }) => length)).toEqual([16_384, 16_384, 7_232]);
  });

  it("cuts the same on every machine", () => {
    expect(
      pieces(bytes)
        .slice(0, 5)
        .map(({ length }) => length),
    ).toEqual([4658, 1774, 1538, 9156, 3215]);
  });

  it("finds the same pieces again when something was put in, taken out or changed before them", () => {
    const known = new Set(pieces(bytes).map((piece) => piece.toString("latin1")));
    for (const changed of [
      Buffer.concat([Buffer.from("ten bytes."), bytes]),
      bytes.subarray(33),
      Buffer.concat([bytes.subarray(0, 150_000), Buffer.from("in the middle"), bytes.subarray(150_000)]),
      Buffer.concat([bytes, noise(3_000)]),
    ]) {
      const fresh = pieces(changed).filter((piece) => !known.has(piece.toString("latin1")));
      expect(fresh.length).toBeLessThanOrEqual(4);
    }
  });
});
