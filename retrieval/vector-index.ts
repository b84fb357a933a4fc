/** What an index over vectors is, and the matrix of unit vectors under both kinds (exact and HNSW). */
import { UmaError } from "../base/errors.ts";

export interface RowHit {
  readonly row: number;
  /** Cosine, -1..1. */
  readonly score: number;
}

export interface VectorIndex {
  readonly kind: "exact" | "hnsw";
  /** Rows handed out so far, erased ones included. */
  readonly size: number;
  /** Numbers per vector; null before the first one. */
  readonly dimension: number | null;
  /** Appends vectors; the first gets row `size`. Throws `input` on NaN, infinity or another dimension, adding none. */
  add(vectors: readonly ArrayLike<number>[]): void | Promise<void>;
  /** Best first, equal scores by the lower row. Zero and erased rows never match; a zero query matches nothing. */
  search(query: ArrayLike<number>, topK: number, options?: { readonly visible?: number }): RowHit[];
  /** Overwrites the numbers of these rows; the rows keep their positions and never match again. */
  erase(rows: readonly number[]): void | Promise<void>;
}

export interface VectorRows {
  readonly size: number;
  readonly dimension: number | null;
  /** Row r is at r · dimension; read again after every `add` (it grows). All zero: never matches. */
  readonly values: Float32Array;
  add(vectors: readonly ArrayLike<number>[]): void;
  isZero(row: number): boolean;
  row(row: number): Float32Array;
  erase(rows: readonly number[]): void;
  /** A checked query of length 1, or null when it is all zeros or there are no rows. */
  query(vector: ArrayLike<number>): Float32Array | null;
}

/** `restored`: rows that were unit vectors or zero when they were written, taken over as they are. */
export function createVectorRows(restored?: { readonly dimension: number; readonly values: Float32Array }): VectorRows {
  let dimension = restored?.dimension ?? null;
  let values = restored?.values ?? new Float32Array(0);
  let size = restored === undefined ? 0 : restored.values.length / restored.dimension;

  const unit = (vector: ArrayLike<number>, what: string): Float32Array => {
    if (dimension !== null && vector.length !== dimension) {
      throw new UmaError("input", `${what}: expected ${dimension} numbers, got ${vector.length}`, {
        fix: "vectors of different embedders cannot share an index: build a new one",
      });
    }
    if (vector.length === 0) throw new UmaError("input", `${what}: expected a vector, got an empty one`);
    let squares = 0;
    for (let i = 0; i < vector.length; i++) squares += vector[i]! * vector[i]!;
    if (!Number.isFinite(squares)) {
      throw new UmaError("input", `${what}: expected finite numbers, found NaN or infinity`, {
        fix: "the embedder returned a broken vector; check its model and its input",
      });
    }
    const result = new Float32Array(vector.length);
    if (squares === 0) return result;
    const inverse = 1 / Math.sqrt(squares);
    for (let i = 0; i < vector.length; i++) result[i] = vector[i]! * inverse;
    return result;
  };
  const row = (index: number) => values.subarray(index * dimension!, (index + 1) * dimension!);

  return {
    get size() {
      return size;
    },
    get dimension() {
      return dimension;
    },
    get values() {
      return values;
    },
    add(vectors) {
      if (vectors.length === 0) return;
      const width = dimension ?? vectors[0]!.length;
      const units = vectors.map((vector, i) => {
        if (vector.length !== width && dimension === null) {
          throw new UmaError("input", `vector ${size + i}: expected ${width} numbers, got ${vector.length}`);
        }
        return unit(vector, `vector ${size + i}`);
      });
      dimension = width;
      if ((size + units.length) * width > values.length) {
        const larger = new Float32Array(Math.max(2 * values.length, (size + units.length) * width));
        larger.set(values.subarray(0, size * width));
        values = larger;
      }
      units.forEach((vector, i) => {
        values.set(vector, (size + i) * width);
      });
      size += units.length;
    },
    row,
    isZero: (index) => row(index).every((value) => value === 0),
    erase(rows) {
      for (const index of rows) {
        if (!Number.isSafeInteger(index) || index < 0 || index >= size) {
          throw new UmaError("config", `row: expected a whole number from 0 to ${size - 1}, got ${index}`);
        }
      }
      for (const index of rows) row(index).fill(0);
    },
    query(vector) {
      const checked = unit(vector, "query vector");
      return size === 0 || checked.every((value) => value === 0) ? null : checked;
    },
  };
}
