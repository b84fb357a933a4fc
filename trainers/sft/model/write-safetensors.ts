/** Writes tensors as a `.safetensors` file (policies/embedded reads them): an 8-byte length, a JSON header, the numbers in order. */
import { UmaError } from "../../../base/errors.ts";

export interface Tensor {
  readonly name: string;
  readonly shape: readonly number[];
  readonly values: Float32Array;
}

export type StoredType = "F32" | "F16";

/** `F16` rounds to the nearest half, ties to even. Throws `input` for a number that a half cannot hold. */
export function writeSafetensors(tensors: readonly Tensor[], type: StoredType): Buffer {
  const header: Record<string, unknown> = { __metadata__: { format: "pt" } };
  const parts: Buffer[] = [];
  let at = 0;
  for (const { name, shape, values } of tensors) {
    const size = shape.reduce((product, n) => product * n, 1);
    if (size !== values.length)
      throw new UmaError("input", `${name}: expected ${size} numbers for the shape [${shape}], got ${values.length}`);
    const stored = type === "F32" ? values : Uint16Array.from(values, (value) => toHalf(value, name));
    parts.push(Buffer.from(stored.buffer, stored.byteOffset, stored.byteLength));
    header[name] = { dtype: type, shape, data_offsets: [at, at + stored.byteLength] };
    at += stored.byteLength;
  }
  const text = JSON.stringify(header);
  const json = Buffer.from(text.padEnd(Math.ceil(text.length / 8) * 8));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(json.length));
  return Buffer.concat([length, json, ...parts]);
}

const bits = new DataView(new ArrayBuffer(4));

/** IEEE 754 binary16 of a number. */
function toHalf(value: number, name: string): number {
  bits.setFloat32(0, value);
  const word = bits.getUint32(0);
  const sign = (word >>> 16) & 0x8000;
  const exponent = ((word >>> 23) & 0xff) - 127 + 15;
  const mantissa = word & 0x7fffff;
  if (!Number.isFinite(value) || exponent > 30)
    throw new UmaError("input", `${name}: ${value} does not fit a 16-bit number`);
  if (exponent <= 0) {
    if (exponent < -10) return sign;
    return sign | roundOff(mantissa | 0x800000, 14 - exponent);
  }
  // a mantissa that rounds up to a whole carries into the exponent
  return sign | ((exponent << 10) + roundOff(mantissa, 13));
}

function roundOff(value: number, places: number): number {
  const kept = value >>> places;
  const rest = value & ((1 << places) - 1);
  const half = 1 << (places - 1);
  return rest > half || (rest === half && kept % 2 === 1) ? kept + 1 : kept;
}
