/** The kernels in plain JavaScript: what runs where WebAssembly is switched off, and what the fast ones are tested against. */
import { EXP, type Kernels, NOTHING, PANEL, PANEL_ROW_BYTES, type Product, type Softmax } from "./kernels.ts";

const { fround } = Math;

export function plainKernels(bytes: number): Kernels {
  const memory = new ArrayBuffer(bytes);
  const f = new Float32Array(memory);
  const addresses = new Int32Array(memory);
  return {
    memory,
    product: (p) => product(f, addresses, p),
    softmax: (p) => softmax(f, p),
    gate(address, stride, width, rows) {
      for (let row = 0; row < rows; row++) {
        const at = (address + row * stride) >> 2;
        for (let i = at; i < at + width; i++) {
          const g = f[i]!;
          f[i] = fround(fround(g / fround(1 + exp(-g))) * f[i + width]!);
        }
      }
    },
  };
}

function product(f: Float32Array, addresses: Int32Array, p: Product): void {
  const { rows, panels, segments, depth } = p;
  for (let panel = 0; panel < panels; panel++) {
    const table = (p.table >> 2) + panel * p.tableStep;
    for (let row = 0; row < rows; row++) {
      const to = ((p.y + row * p.yStride) >> 2) + panel * PANEL;
      // four columns at a time: more sums than registers would be slower
      for (let column = 0; column < PANEL; column += 4) {
        let a = fround(0);
        let b = fround(0);
        let c = fround(0);
        let d = fround(0);
        let x = (p.x + row * p.xStride) >> 2;
        for (let segment = 0; segment < segments; segment++) {
          let w = ((p.offset + addresses[table + segment]! + panel * p.panelStep) >> 2) + column;
          for (let k = 0; k < depth; k++) {
            const value = f[x++]!;
            a = fround(a + fround(value * f[w]!));
            b = fround(b + fround(value * f[w + 1]!));
            c = fround(c + fround(value * f[w + 2]!));
            d = fround(d + fround(value * f[w + 3]!));
            w += PANEL_ROW_BYTES >> 2;
          }
        }
        f[to + column] = a;
        f[to + column + 1] = b;
        f[to + column + 2] = c;
        f[to + column + 3] = d;
      }
    }
  }
}

function softmax(f: Float32Array, { address, stride, rows, length, lengthStep, width }: Softmax): void {
  const sums = new Float32Array(4);
  for (let row = 0; row < rows; row++) {
    const from = (address + row * stride) >> 2;
    const end = from + width;
    f.fill(NOTHING, from + length + row * lengthStep, end);
    let most = fround(NOTHING);
    for (let i = from; i < end; i++) most = Math.max(most, f[i]!);
    sums.fill(0);
    for (let i = from; i < end; i++) {
      const e = exp(fround(f[i]! - most));
      f[i] = e;
      // in four lanes, as the fast kernel adds them
      const lane = (i - from) & 3;
      sums[lane] = sums[lane]! + e;
    }
    const total = fround(fround(fround(sums[0]! + sums[1]!) + sums[2]!) + sums[3]!);
    const share = fround(1 / total);
    for (let i = from; i < end; i++) f[i] = fround(f[i]! * share);
  }
}

const word = new Int32Array(1);
const real = new Float32Array(word.buffer);
/** Adding and taking it away rounds to the nearest integer, ties to even. */
const ROUNDING = 12582912;

function exp(value: number): number {
  if (value < EXP.LOW) return 0;
  const x = Math.min(value, EXP.HIGH);
  const n = fround(fround(fround(x * EXP.LOG2E) + ROUNDING) - ROUNDING);
  const r = fround(fround(x - fround(n * EXP.LN2_HIGH)) - fround(n * EXP.LN2_LOW));
  let y = EXP.POLYNOMIAL[0]!;
  for (let i = 1; i < 6; i++) y = fround(fround(y * r) + EXP.POLYNOMIAL[i]!);
  y = fround(fround(fround(y * fround(r * r)) + r) + 1);
  word[0] = (n + 127) << 23;
  return fround(y * real[0]!);
}
