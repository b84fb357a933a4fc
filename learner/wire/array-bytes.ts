/** Arrays as little-endian bytes and back. Going out they are views; coming in they are copied once, for alignment. */
import { UmaError } from "../../base/errors.ts";

if (new Uint8Array(Uint16Array.of(1).buffer)[0] !== 1)
  throw new UmaError("config", "the learner's wire format is little-endian, and this machine is not");

/** A view, not a copy. */
export function bytesOf(values: Int32Array | Float32Array | BigInt64Array): Uint8Array {
  return new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
}

/** int32 as int64, low word first. */
export function widened(values: Int32Array): Uint8Array {
  const words = new Int32Array(2 * values.length);
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!;
    words[2 * i] = value;
    words[2 * i + 1] = value >> 31;
  }
  return bytesOf(words);
}

export function int32From(bytes: Uint8Array): Int32Array {
  return new Int32Array(aligned(bytes, 4));
}

export function float32From(bytes: Uint8Array): Float32Array {
  return new Float32Array(aligned(bytes, 4));
}

/** bfloat16 is the upper half of a float32. */
export function float32FromBfloat16(bytes: Uint8Array): Float32Array {
  const halves = new Uint16Array(aligned(bytes, 2));
  return new Float32Array(Uint32Array.from(halves, (half) => half << 16).buffer);
}

/** int64 as numbers; they count bytes, tokens and rows, which fit. */
export function int64From(bytes: Uint8Array): number[] {
  return Array.from(new BigInt64Array(aligned(bytes, 8)), Number);
}

function aligned(bytes: Uint8Array, size: number): ArrayBuffer {
  if (bytes.byteLength % size !== 0)
    throw new UmaError(
      "provider",
      `the server sent ${bytes.byteLength} bytes where numbers of ${size} bytes each were expected`,
    );
  return new Uint8Array(bytes).buffer;
}
