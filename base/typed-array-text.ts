/** Typed arrays as text: base64 of their little-endian bytes, for JSON that must carry token ids exactly. */
import { endianness } from "node:os";
import { UmaError } from "./errors.ts";

type Exact = Int32Array | Float32Array | Uint8Array;
type ExactConstructor<Array extends Exact> = {
  new (buffer: ArrayBuffer, byteOffset?: number, length?: number): Array;
  readonly BYTES_PER_ELEMENT: number;
};

export function toBase64(array: Exact): string {
  const bytes = Buffer.from(array.buffer, array.byteOffset, array.byteLength);
  return (swaps(array.BYTES_PER_ELEMENT) ? Buffer.from(bytes).swap32() : bytes).toString("base64");
}

/** Throws `input` when the text does not hold whole elements. */
export function fromBase64<Array extends Exact>(text: string, type: ExactConstructor<Array>): Array {
  const bytes = Buffer.from(text, "base64");
  if (bytes.length % type.BYTES_PER_ELEMENT !== 0)
    throw new UmaError(
      "input",
      `expected base64 of whole ${type.BYTES_PER_ELEMENT}-byte elements, got ${bytes.length} bytes`,
    );
  // a buffer of its own: Node's pool gives small ones at offsets that a wider view cannot start at
  const own = new Uint8Array(bytes.length);
  own.set(bytes);
  if (swaps(type.BYTES_PER_ELEMENT)) Buffer.from(own.buffer).swap32();
  return new type(own.buffer, 0, bytes.length / type.BYTES_PER_ELEMENT);
}

const swaps = (width: number) => width === 4 && endianness() === "BE";
