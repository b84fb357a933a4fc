/**
 * Just enough of a WebAssembly assembler to write a few loops over one imported memory: functions of i32 parameters and
 * no result. An instruction is a list of bytes; what takes operands is written as a function of their instructions.
 */
export type Code = readonly number[];

export const I32 = 0x7f;
export const V128 = 0x7b;

export interface WasmFunction {
  readonly name: string;
  /** How many i32 come in; they are the first locals. */
  readonly parameters: number;
  /** Types of the further locals. */
  readonly locals: readonly number[];
  readonly body: Code;
}

/** A module that imports `env.memory` and exports the functions. */
export function assemble(functions: readonly WasmFunction[]): Uint8Array<ArrayBuffer> {
  const section = (id: number, items: readonly Code[]) => [id, ...sized([...unsigned(items.length), ...items.flat()])];
  const text = (value: string) => sized([...Buffer.from(value)]);
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
    ...section(
      1,
      functions.map(({ parameters }) => [0x60, ...unsigned(parameters), ...Array(parameters).fill(I32), 0x00]),
    ),
    ...section(2, [[...text("env"), ...text("memory"), 0x02, 0x00, 0x00]]),
    ...section(
      3,
      functions.map((_, index) => unsigned(index)),
    ),
    ...section(
      7,
      functions.map(({ name }, index) => [...text(name), 0x00, ...unsigned(index)]),
    ),
    ...section(
      10,
      functions.map(({ locals, body }) =>
        sized([...unsigned(locals.length), ...locals.flatMap((type) => [1, type]), ...body, 0x0b]),
      ),
    ),
  ]);
}

export const get = (local: number): Code => [0x20, ...unsigned(local)];
export const set = (local: number, value: Code): Code => [...value, 0x21, ...unsigned(local)];
export const i32 = (value: number): Code => [0x41, ...signed(value)];
export const add = (a: Code, b: Code): Code => [...a, ...b, 0x6a];
export const times = (a: Code, b: Code): Code => [...a, ...b, 0x6c];
export const less = (a: Code, b: Code): Code => [...a, ...b, 0x48];
export const load32 = (address: Code): Code => [...address, 0x28, 2, 0];
export const store32 = (address: Code, value: Code): Code => [...address, ...value, 0x36, 2, 0];
export const increase = (local: number, by: Code): Code => set(local, add(get(local), by));

/** Repeats the body as long as the condition holds before it. */
export const whileLoop = (condition: Code, body: Code): Code =>
  [[0x02, 0x40, 0x03, 0x40], condition, [0x45, 0x0d, 1], body, [0x0c, 0, 0x0b, 0x0b]].flat();
/** The same where it is known to hold the first time, with one jump less. */
export const doLoop = (body: Code, condition: Code): Code => [[0x03, 0x40], body, condition, [0x0d, 0, 0x0b]].flat();

const simd = (opcode: number, ...rest: readonly number[]): Code => [0xfd, ...unsigned(opcode), ...rest];
const binary =
  (opcode: number) =>
  (a: Code, b: Code): Code => [...a, ...b, ...simd(opcode)];

export const loadV = (address: Code, offset = 0): Code => [...address, ...simd(0x00, 4, ...unsigned(offset))];
/** Four times the number at an address. */
export const loadSplat = (address: Code, offset = 0): Code => [...address, ...simd(0x09, 2, ...unsigned(offset))];
export const storeV = (address: Code, value: Code, offset = 0): Code => [
  ...address,
  ...value,
  ...simd(0x0b, 4, ...unsigned(offset)),
];
/** Four times a constant. */
export const splat = (value: number): Code => simd(0x0c, ...Buffer.from(new Float32Array(4).fill(value).buffer));
export const splatInt = (value: number): Code => simd(0x0c, ...Buffer.from(new Int32Array(4).fill(value).buffer));
/** Lane n of the vector, in all four. */
export const lane = (vector: Code, n: number): Code => {
  const bytes = [0, 1, 2, 3].map((byte) => 4 * n + byte);
  return [...vector, ...vector, ...simd(0x0d, ...bytes, ...bytes, ...bytes, ...bytes)];
};
export const addV = binary(0xe4);
export const minusV = binary(0xe5);
export const timesV = binary(0xe6);
export const overV = binary(0xe7);
export const minV = binary(0xe8);
export const maxV = binary(0xe9);
export const lessV = binary(0x43);
export const addInts = binary(0xae);
export const negateV = (a: Code): Code => [...a, ...simd(0xe1)];
export const nearestV = (a: Code): Code => [...a, ...simd(0x6a)];
export const toIntsV = (a: Code): Code => [...a, ...simd(0xf8)];
export const shiftLeftInts = (a: Code, by: number): Code => [...a, ...i32(by), ...simd(0xab)];
/** `a` with the bits of the mask cleared. */
export const andNot = binary(0x4f);

const sized = (bytes: Code): Code => [...unsigned(bytes.length), ...bytes];

function unsigned(value: number): number[] {
  const bytes: number[] = [];
  let rest = value >>> 0;
  do {
    bytes.push((rest & 0x7f) | (rest > 0x7f ? 0x80 : 0));
    rest >>>= 7;
  } while (rest > 0);
  return bytes;
}

function signed(value: number): number[] {
  const bytes: number[] = [];
  let rest = value | 0;
  for (;;) {
    const byte = rest & 0x7f;
    rest >>= 7;
    if ((rest === 0 && (byte & 0x40) === 0) || (rest === -1 && (byte & 0x40) !== 0)) return [...bytes, byte];
    bytes.push(byte | 0x80);
  }
}
