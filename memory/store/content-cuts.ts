/**
 * Cutting bytes where their content says so (content-defined chunking with a gear hash): a piece ends where a rolling
 * hash of its last 32 bytes has a certain form. Text that is inserted somewhere moves what follows it, and the pieces
 * behind it are still the same, so two versions of a memory share all pieces but those that changed.
 */
import { createHash } from "node:crypto";

const LEAST_BYTES = 1_024;
const MOST_BYTES = 16_384;
/** Twelve bits: a piece is about 4,096 bytes longer than the least. The high bits, which the most bytes have entered. */
const MASK = 0xfff00000;

/** One random 32-bit number a byte value, the same on every machine. */
const gear = Int32Array.from({ length: 256 }, (_, byte) =>
  createHash("sha256").update(`content-cuts ${byte}`).digest().readInt32LE(0),
);

/** The bytes in pieces, in order; views, not copies. None for no bytes. */
export function* contentCuts(bytes: Uint8Array): Generator<Uint8Array> {
  for (let start = 0; start < bytes.length; ) {
    const end = cutAfter(bytes, start);
    yield bytes.subarray(start, end);
    start = end;
  }
}

function cutAfter(bytes: Uint8Array, start: number): number {
  const most = Math.min(bytes.length, start + MOST_BYTES);
  let hash = 0;
  for (let at = start + LEAST_BYTES; at < most; at++) {
    hash = ((hash << 1) + gear[bytes[at]!]!) | 0;
    if ((hash & MASK) === 0) return at + 1;
  }
  return most;
}
