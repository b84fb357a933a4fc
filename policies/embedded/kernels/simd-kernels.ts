/** The kernels in WebAssembly with 128-bit vectors, assembled here from their text: the fast path. */
import { EXP, type Kernels, NOTHING, PANEL_ROW_BYTES } from "./kernels.ts";
import * as w from "./wasm-assembler.ts";

const PAGE = 65_536;

/** What this file needs of WebAssembly, which Node's types leave to the browser's. */
interface Wasm {
  readonly Memory: new (size: { initial: number }) => { readonly buffer: ArrayBuffer };
  readonly Module: new (bytes: Uint8Array<ArrayBuffer>) => object;
  readonly Instance: new (
    module: object,
    imports: object,
  ) => { readonly exports: Record<string, (...values: number[]) => void> };
}

/** Null where WebAssembly or its vectors are missing. */
export function simdKernels(bytes: number): Kernels | null {
  const wasm = (globalThis as { WebAssembly?: Wasm }).WebAssembly;
  if (wasm === undefined) return null;
  let module: object;
  try {
    module = new wasm.Module(kernelModule());
  } catch {
    return null;
  }
  const memory = new wasm.Memory({ initial: Math.ceil(bytes / PAGE) });
  const { product, softmax, gate } = new wasm.Instance(module, { env: { memory } }).exports;
  return {
    memory: memory.buffer,
    product({ x, xStride, y, yStride, rows, table, tableStep, offset, panelStep, panels, segments, depth }) {
      product!(x, xStride, y, yStride, rows, table, tableStep, offset, panelStep, panels, segments, depth);
    },
    softmax: (p) => softmax!(p.address, p.stride, p.rows, p.length, p.lengthStep, p.width),
    gate: (address, stride, width, rows) => gate!(address, stride, width, rows),
  };
}

export const kernelModule = () => w.assemble([productKernel(), softmaxKernel(), gateKernel()]);

const { get, set, i32, add, times, less } = w;
const four = i32(4);

/** Rows of x that one reading of a panel serves; with more the sums do not stay in registers. */
const TILE = 2;
const VECTORS = PANEL_ROW_BYTES / 16;

function productKernel(): w.WasmFunction {
  const [x, xStride, y, yStride, rows, table, tableStep, offset, panelStep, panels, segments, depth] = numbers(0, 12);
  const [panel, row, segment, end, at, pieces, weights] = numbers(12, 7);
  const xs = numbers(19, TILE);
  const firstVector = 19 + TILE;
  const sums = numbers(firstVector, TILE * VECTORS);
  const value = firstVector + TILE * VECTORS;

  /** The next `height` rows of y, in this panel. */
  const tile = (height: number): w.Code => {
    const each = (of: (row: number) => w.Code) => numbers(0, height).flatMap(of);
    return [
      ...each((r) => set(xs[r]!, add(get(x!), times(add(get(row!), i32(r)), get(xStride!))))),
      ...each((r) => numbers(0, VECTORS).flatMap((v) => set(sums[r * VECTORS + v]!, w.splat(0)))),
      ...set(segment!, i32(0)),
      ...w.doLoop(
        [
          ...set(weights!, add(w.load32(add(get(pieces!), times(get(segment!), four))), get(offset!))),
          ...set(end!, add(get(weights!), times(get(depth!), i32(PANEL_ROW_BYTES)))),
          ...w.doLoop(
            [
              ...numbers(0, 4).flatMap((k) =>
                each((r) => [
                  ...set(value, w.loadSplat(get(xs[r]!), 4 * k)),
                  ...numbers(0, VECTORS).flatMap((v) => {
                    const sum = sums[r * VECTORS + v]!;
                    const weight = w.loadV(get(weights!), PANEL_ROW_BYTES * k + 16 * v);
                    return set(sum, w.addV(get(sum), w.timesV(get(value), weight)));
                  }),
                ]),
              ),
              ...each((r) => w.increase(xs[r]!, i32(16))),
              ...w.increase(weights!, i32(4 * PANEL_ROW_BYTES)),
            ],
            less(get(weights!), get(end!)),
          ),
          ...w.increase(segment!, i32(1)),
        ],
        less(get(segment!), get(segments!)),
      ),
      ...each((r) => [
        ...set(
          at!,
          add(add(get(y!), times(add(get(row!), i32(r)), get(yStride!))), times(get(panel!), i32(PANEL_ROW_BYTES))),
        ),
        ...numbers(0, VECTORS).flatMap((v) => w.storeV(get(at!), get(sums[r * VECTORS + v]!), 16 * v)),
      ]),
      ...w.increase(row!, i32(height)),
    ];
  };
  const fits = (height: number) => less(add(get(row!), i32(height - 1)), get(rows!));
  return {
    name: "product",
    parameters: 12,
    locals: [...Array(7 + TILE).fill(w.I32), ...Array(TILE * VECTORS + 1).fill(w.V128)],
    body: w.whileLoop(less(get(panel!), get(panels!)), [
      ...set(pieces!, add(get(table!), times(times(get(panel!), get(tableStep!)), four))),
      ...set(row!, i32(0)),
      ...[TILE, 1].flatMap((height) => w.whileLoop(fits(height), tile(height))),
      ...w.increase(offset!, get(panelStep!)),
      ...w.increase(panel!, i32(1)),
    ]),
  };
}

function softmaxKernel(): w.WasmFunction {
  const [address, stride, rows, length, lengthStep, width] = numbers(0, 6);
  const [row, at, end] = numbers(6, 3);
  const [most, sum, x, n, r] = numbers(9, 5);
  /** Visits the row, four numbers at a time. */
  const along = (body: w.Code) => [
    ...set(at!, get(address!)),
    ...w.doLoop([...body, ...w.increase(at!, i32(16))], less(get(at!), get(end!))),
  ];
  const inAll = (vector: number, join: (a: w.Code, b: w.Code) => w.Code) =>
    set(
      vector,
      [1, 2, 3].reduce((all, k) => join(all, w.lane(get(vector), k)), w.lane(get(vector), 0)),
    );
  return {
    name: "softmax",
    parameters: 6,
    locals: [w.I32, w.I32, w.I32, w.V128, w.V128, w.V128, w.V128, w.V128],
    body: w.whileLoop(less(get(row!), get(rows!)), [
      ...set(end!, add(get(address!), times(get(width!), four))),
      ...set(at!, add(get(address!), times(get(length!), four))),
      ...w.whileLoop(less(get(at!), get(end!)), [
        ...w.store32(get(at!), i32(bitsOf(NOTHING))),
        ...w.increase(at!, four),
      ]),
      ...set(most!, w.splat(NOTHING)),
      ...along(set(most!, w.maxV(get(most!), w.loadV(get(at!))))),
      ...inAll(most!, w.maxV),
      ...set(sum!, w.splat(0)),
      ...along([
        ...set(x!, w.minusV(w.loadV(get(at!)), get(most!))),
        ...exponential(x!, n!, r!),
        ...w.storeV(get(at!), get(x!)),
        ...set(sum!, w.addV(get(sum!), get(x!))),
      ]),
      ...inAll(sum!, w.addV),
      ...set(sum!, w.overV(w.splat(1), get(sum!))),
      ...along(w.storeV(get(at!), w.timesV(w.loadV(get(at!)), get(sum!)))),
      ...w.increase(address!, get(stride!)),
      ...w.increase(length!, get(lengthStep!)),
      ...w.increase(row!, i32(1)),
    ]),
  };
}

function gateKernel(): w.WasmFunction {
  const [address, stride, width, rows] = numbers(0, 4);
  const [row, at, end, up] = numbers(4, 4);
  const [x, n, r] = numbers(8, 3);
  return {
    name: "gate",
    parameters: 4,
    locals: [w.I32, w.I32, w.I32, w.I32, w.V128, w.V128, w.V128],
    body: w.whileLoop(less(get(row!), get(rows!)), [
      ...set(at!, get(address!)),
      ...set(end!, add(get(address!), times(get(width!), four))),
      ...set(up!, get(end!)),
      ...w.doLoop(
        [
          ...set(x!, w.negateV(w.loadV(get(at!)))),
          ...exponential(x!, n!, r!),
          ...w.storeV(get(at!), w.timesV(w.overV(w.loadV(get(at!)), w.addV(w.splat(1), get(x!))), w.loadV(get(up!)))),
          ...w.increase(at!, i32(16)),
          ...w.increase(up!, i32(16)),
        ],
        less(get(at!), get(end!)),
      ),
      ...w.increase(address!, get(stride!)),
      ...w.increase(row!, i32(1)),
    ]),
  };
}

/** Local x becomes e^x; n and r are overwritten. See EXP. */
function exponential(x: number, n: number, r: number): w.Code {
  const [first, ...others] = EXP.POLYNOMIAL;
  const polynomial = others.reduce(
    (y, coefficient) => w.addV(w.timesV(y, get(r)), w.splat(coefficient)),
    w.splat(first!),
  );
  const capped = w.minV(get(x), w.splat(EXP.HIGH));
  const powerOfTwo = w.shiftLeftInts(w.addInts(w.toIntsV(get(n)), w.splatInt(127)), 23);
  const grown = w.addV(w.addV(w.timesV(polynomial, w.timesV(get(r), get(r))), get(r)), w.splat(1));
  const tooLow = w.lessV(get(x), w.splat(EXP.LOW));
  return [
    ...set(n, w.nearestV(w.timesV(capped, w.splat(EXP.LOG2E)))),
    ...set(
      r,
      w.minusV(w.minusV(capped, w.timesV(get(n), w.splat(EXP.LN2_HIGH))), w.timesV(get(n), w.splat(EXP.LN2_LOW))),
    ),
    ...set(x, w.andNot(w.timesV(grown, powerOfTwo), tooLow)),
  ];
}

const numbers = (from: number, count: number) => Array.from({ length: count }, (_, i) => from + i);
const bitsOf = (value: number) => new Int32Array(new Float32Array([value]).buffer)[0]!;
