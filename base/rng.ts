/**
 * Seeded random numbers: xoshiro128** over a seed hashed from a path of names and numbers.
 *
 * Every random choice in umagraph names what it is for (`rng(seed, "ledger-qa", "amounts", 3)`), so adding a choice
 * elsewhere never shifts this one and the same seed gives the same bytes on any machine.
 */
import { createHash } from "node:crypto";

export interface Rng {
  /** Uniform in [0, 1), 32 bits of resolution. */
  next(): number;
  /** Uniform integer in [low, high], both included. */
  int(low: number, high: number): number;
  pick<T>(items: readonly T[]): T;
  /** `count` distinct items in random order; all of them when there are fewer. */
  sample<T>(items: readonly T[], count: number): T[];
  shuffle<T>(items: readonly T[]): T[];
}

const rotateLeft = (x: number, k: number) => ((x << k) | (x >>> (32 - k))) >>> 0;

export function rng(...path: readonly (string | number)[]): Rng {
  const digest = createHash("sha256").update(JSON.stringify(path)).digest();
  let a = digest.readUInt32LE(0);
  let b = digest.readUInt32LE(4);
  let c = digest.readUInt32LE(8);
  let d = digest.readUInt32LE(12) | 1; // never the all-zero state

  const uint32 = () => {
    const result = Math.imul(rotateLeft(Math.imul(b, 5) >>> 0, 7), 9) >>> 0;
    const t = (b << 9) >>> 0;
    c = (c ^ a) >>> 0;
    d = (d ^ b) >>> 0;
    b = (b ^ c) >>> 0;
    a = (a ^ d) >>> 0;
    c = (c ^ t) >>> 0;
    d = rotateLeft(d, 11);
    return result;
  };
  const next = () => uint32() / 4294967296;
  const int = (low: number, high: number) => low + Math.floor(next() * (high - low + 1));
  const shuffle = <T>(items: readonly T[]): T[] => {
    const shuffled = [...items];
    for (let i = shuffled.length - 1; i > 0; i--) {
      const j = int(0, i);
      [shuffled[i], shuffled[j]] = [shuffled[j]!, shuffled[i]!];
    }
    return shuffled;
  };
  return {
    next,
    int,
    pick: (items) => {
      if (items.length === 0) throw new RangeError("rng.pick: expected at least one item, got an empty list");
      return items[int(0, items.length - 1)]!;
    },
    sample: (items, count) => shuffle(items).slice(0, count),
    shuffle,
  };
}

/** A 32-bit seed derived from a path, for engines that take one number. */
export function seedOf(...path: readonly (string | number)[]): number {
  return createHash("sha256").update(JSON.stringify(path)).digest().readUInt32LE(0);
}
