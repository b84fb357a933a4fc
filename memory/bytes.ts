/** Reading and writing small binary formats: variable-length numbers and strings that come back exactly. */
import { UmaError } from "../base/errors.ts";

/** Only in a lone surrogate is UTF-8 lossy; such a string is written as UTF-16. */
const loneSurrogate = /\p{Surrogate}/u;

export interface ByteWriter {
  byte(value: number): void;
  /** A safe integer ≥ 0, seven bits a byte, low bits first. */
  number(value: number): void;
  string(value: string): void;
  raw(bytes: Uint8Array): void;
  /** A copy of everything so far. */
  bytes(): Uint8Array;
}

export function byteWriter(): ByteWriter {
  let buffer = Buffer.allocUnsafe(1024);
  let length = 0;
  const room = (count: number) => {
    if (length + count <= buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(buffer.length * 2, length + count));
    buffer.copy(larger, 0, 0, length);
    buffer = larger;
  };
  const writer: ByteWriter = {
    byte(value) {
      room(1);
      buffer[length++] = value;
    },
    number(value) {
      let left = value;
      // division, not shifts: numbers go beyond 32 bits
      for (; left >= 0x80; left = Math.floor(left / 0x80)) writer.byte((left % 0x80) | 0x80);
      writer.byte(left);
    },
    string(value) {
      const wide = loneSurrogate.test(value);
      const encoding = wide ? "utf16le" : "utf8";
      const count = Buffer.byteLength(value, encoding);
      writer.number(count * 2 + (wide ? 1 : 0));
      room(count);
      length += buffer.write(value, length, encoding);
    },
    raw(bytes) {
      room(bytes.length);
      buffer.set(bytes, length);
      length += bytes.length;
    },
    bytes: () => new Uint8Array(buffer.subarray(0, length)),
  };
  return writer;
}

export interface ByteReader {
  byte(): number;
  number(): number;
  string(): string;
  raw(count: number): Uint8Array;
  /** Bytes that were not read yet. */
  readonly left: number;
}

/** Throws `input`, naming `what` and the offset, where the bytes end too early or are not what the writer makes. */
export function byteReader(bytes: Uint8Array, what: string): ByteReader {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  let at = 0;
  const take = (count: number) => {
    if (count > buffer.length - at) {
      throw badBytes(what, at, `${count} more bytes expected, ${buffer.length - at} left`);
    }
    at += count;
    return buffer.subarray(at - count, at);
  };
  const reader: ByteReader = {
    byte: () => take(1)[0]!,
    number() {
      let value = 0;
      for (let scale = 1; ; scale *= 0x80) {
        const byte = reader.byte();
        value += (byte & 0x7f) * scale;
        if (!Number.isSafeInteger(value)) throw badBytes(what, at, "a number beyond 2^53");
        if (byte < 0x80) return value;
      }
    },
    string() {
      const header = reader.number();
      const encoded = take(Math.floor(header / 2));
      if (header % 2 === 1) return encoded.toString("utf16le");
      try {
        return utf8.decode(encoded);
      } catch (cause) {
        throw badBytes(what, at, "text that is not UTF-8", cause);
      }
    },
    raw: take,
    get left() {
      return buffer.length - at;
    },
  };
  return reader;
}

export function badBytes(what: string, offset: number, problem: string, cause?: unknown): UmaError {
  return new UmaError("input", `cannot read ${what}: ${problem}, at byte ${offset}`, {
    fix: "the data is damaged or is something else; restore it from a copy or an export",
    cause,
  });
}
