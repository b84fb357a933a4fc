/** Reads a `.safetensors` file: an 8-byte length, a JSON header that names dtype, shape and place of each tensor, the numbers. */
import { z } from "zod";
import { messageOf, UmaError } from "../../base/errors.ts";

export interface StoredTensor {
  readonly shape: readonly number[];
  /** As float32, whatever they are stored as. Throws `input` for a number that is none. */
  values(): Float32Array;
}

const Entry = z.object({
  dtype: z.string(),
  shape: z.array(z.int().min(0)),
  data_offsets: z.tuple([z.int().min(0), z.int().min(0)]),
});
const Header = z.record(z.string(), z.unknown());

const readers: Readonly<Record<string, { readonly bytes: number; read(data: Uint8Array): Float32Array }>> = {
  F32: { bytes: 4, read: (data) => new Float32Array(copyOf(data)) },
  F16: { bytes: 2, read: (data) => Float32Array.from(new Uint16Array(copyOf(data)), halfToNumber) },
  BF16: { bytes: 2, read: (data) => upperHalves(new Uint16Array(copyOf(data))) },
};

/** Throws `input` for a file that is cut, damaged, or holds other numbers than F32, F16 and BF16. `where` names it. */
export function readSafetensors(file: Uint8Array, where: string): Map<string, StoredTensor> {
  const wrong = (what: string, cause?: unknown) =>
    new UmaError("input", `${where}: ${what}`, {
      fix: "copy or download the file again; it is damaged or no safetensors file",
      ...(cause !== undefined && { cause }),
    });
  if (file.length < 8) throw wrong(`expected a safetensors file, got ${file.length} bytes`);
  const length = new DataView(file.buffer, file.byteOffset).getBigUint64(0, true);
  if (length > BigInt(file.length - 8))
    throw wrong(`its header should have ${length} bytes, the file has ${file.length}`);
  const begin = 8 + Number(length);
  let header: Record<string, unknown>;
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(file.subarray(8, begin));
    header = Header.parse(JSON.parse(text));
  } catch (cause) {
    throw wrong(`its header cannot be read (${messageOf(cause).split("\n")[0]})`, cause);
  }
  const tensors = new Map<string, StoredTensor>();
  for (const [name, value] of Object.entries(header)) {
    if (name === "__metadata__") continue;
    const entry = Entry.safeParse(value);
    if (!entry.success) throw wrong(`the header does not say what ${name} is`);
    const { dtype, shape, data_offsets } = entry.data;
    const [from, to] = data_offsets;
    const reader = Object.hasOwn(readers, dtype) ? readers[dtype] : undefined;
    if (!reader)
      throw new UmaError("input", `${where}: ${name} holds ${dtype} numbers, expected F32, F16 or BF16`, {
        fix: "save the model in one of these, without quantization",
      });
    const count = shape.reduce((product, size) => product * size, 1);
    if (to - from !== count * reader.bytes)
      throw wrong(`${name} should have ${count * reader.bytes} bytes for its shape [${shape}], got ${to - from}`);
    if (begin + to > file.length)
      throw wrong(`${name} ends ${begin + to - file.length} bytes behind the end of the file`);
    tensors.set(name, {
      shape,
      values() {
        const values = reader.read(file.subarray(begin + from, begin + to));
        const bad = values.findIndex((number) => !Number.isFinite(number));
        if (bad >= 0) throw wrong(`number ${bad} of ${name} is ${values[bad]}`);
        return values;
      },
    });
  }
  return tensors;
}

/** Typed arrays need their numbers aligned, which a file does not promise. */
const copyOf = (data: Uint8Array): ArrayBuffer => new Uint8Array(data).buffer;

function upperHalves(words: Uint16Array): Float32Array {
  const bits = Uint32Array.from(words, (word) => word << 16);
  return new Float32Array(bits.buffer);
}

/** IEEE 754 binary16. */
function halfToNumber(word: number): number {
  const sign = word & 0x8000 ? -1 : 1;
  const exponent = (word >>> 10) & 0x1f;
  const mantissa = word & 0x3ff;
  if (exponent === 31) return mantissa === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return sign * (exponent === 0 ? mantissa * 2 ** -24 : (1 + mantissa / 1024) * 2 ** (exponent - 15));
}
