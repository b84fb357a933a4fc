import { describe, expect, it } from "vitest";
import { rng } from "../../../base/rng.ts";
import type { Kernels } from "../../../policies/embedded/kernels/kernels.ts";
import { plainKernels } from "../../../policies/embedded/kernels/plain-kernels.ts";
import { simdKernels } from "../../../policies/embedded/kernels/simd-kernels.ts";

const BYTES = 1 << 20;

function both(spread = 1): [Kernels, Kernels] {
  const kernels: [Kernels, Kernels] = [plainKernels(BYTES), simdKernels(BYTES)!];
  const random = rng("kernels");
  const [a, b] = kernels.map(({ memory }) => new Float32Array(memory));
  for (let i = 0; i < a!.length; i++) a![i] = spread * (random.next() * 2 - 1);
  b!.set(a!);
  for (const { memory } of kernels) new Int32Array(memory).set([4096, 65_536, 131_072], 0);
  return kernels;
}
const sameBits = (a: Kernels, b: Kernels) => Buffer.compare(Buffer.from(a.memory), Buffer.from(b.memory)) === 0;
const work = (kernels: readonly Kernels[], act: (kernels: Kernels) => void) => {
  for (const one of kernels) act(one);
};

describe("the kernels in WebAssembly and in JavaScript", () => {
  it.each([1, 2, 3, 5])("multiply %i rows to the same bits, and to the right numbers", (rows) => {
    const [plain, fast] = both();
    const product = {
      ...{ x: 524_288, xStride: 192, y: 786_432, yStride: 128, rows },
      ...{ table: 0, tableStep: 1, offset: 64, panelStep: 32, panels: 2, segments: 2, depth: 24 },
    };
    const before = new Float32Array(plain.memory).slice();
    work([plain, fast], ({ product: multiply }) => multiply(product));
    expect(sameBits(fast, plain)).toBe(true);
    const y = new Float32Array(fast.memory);
    const table = [4096, 65_536, 131_072];
    for (let row = 0; row < rows; row++)
      for (const [panel, column] of [
        [0, 0],
        [0, 15],
        [1, 7],
      ] as const) {
        let sum = 0;
        for (let k = 0; k < 48; k++) {
          const piece = (64 + table[panel + Math.floor(k / 24)]! + panel * 32) / 4;
          sum += before[(524_288 + row * 192) / 4 + k]! * before[piece + (k % 24) * 16 + column]!;
        }
        expect(y[(786_432 + row * 128) / 4 + panel * 16 + column]).toBeCloseTo(sum, 4);
      }
  });

  it("give the same softmax: over what a row may look at, 0 behind", () => {
    const [plain, fast] = both(20);
    const before = new Float32Array(plain.memory).slice();
    const softmax = { address: 4096, stride: 256, rows: 5, length: 1, lengthStep: 11, width: 48 };
    work([plain, fast], (kernels) => kernels.softmax(softmax));
    expect(sameBits(fast, plain)).toBe(true);
    const after = new Float32Array(fast.memory);
    for (let row = 0; row < 5; row++) {
      const from = 1024 + row * 64;
      const length = 1 + row * 11;
      const exps = Array.from(before.subarray(from, from + length), Math.exp);
      const total = exps.reduce((sum, e) => sum + e, 0);
      exps.forEach((e, i) => {
        expect(after[from + i]).toBeCloseTo(e / total, 6);
      });
      expect([...after.subarray(from + length, from + 48)]).toEqual(Array(48 - length).fill(0));
    }
  });

  it("give the same gates, also where the exponential runs out of range", () => {
    const [plain, fast] = both(4);
    for (const { memory } of [plain, fast])
      new Float32Array(memory).set([1e4, -1e4, 88.5, -88.5, 0, -0, 1e-30, 3e38], 1024);
    const before = new Float32Array(plain.memory).slice();
    work([plain, fast], (kernels) => kernels.gate(4096, 1024, 96, 3));
    expect(sameBits(fast, plain)).toBe(true);
    const after = new Float32Array(fast.memory);
    for (let row = 0; row < 3; row++)
      for (let i = 0; i < 96; i++) {
        const at = 1024 + row * 256 + i;
        const expected = Math.fround((before[at]! / (1 + Math.exp(-before[at]!))) * before[at + 96]!);
        expect(Math.abs(after[at]! - expected)).toBeLessThanOrEqual(1e-5 * Math.max(1, Math.abs(expected)));
      }
  });
});
