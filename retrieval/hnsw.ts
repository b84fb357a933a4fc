/**
 * Approximate dense search: a small-world graph (hnswlib-node) behind the guards that it lacks.
 *
 * - The matrix of vectors is kept beside the graph: scores are exact, only the choice of candidates is approximate.
 * - Labels are row numbers, never reused; vectors are checked before they reach native code; zero rows stay out.
 * - Room grows; k is clamped to what is there; an empty graph answers [].
 * - Erasing rebuilds, because marking a point deleted keeps its bytes in memory and in saved files.
 * - A restricted view, and any search while the graph is behind the matrix, is answered exactly: filters written in
 *   JavaScript can end the process inside the library.
 * - One thread and a fixed seed: the same vectors in the same order give the same graph.
 *
 * It pays only when one index serves well over a thousand queries; building 50,000 vectors takes about a minute.
 */
import { createRequire } from "node:module";
import type { HierarchicalNSW } from "hnswlib-node";
import { messageOf, UmaError } from "../base/errors.ts";
import { createExactDense } from "./exact-dense.ts";
import { checkSearch } from "./retriever.ts";
import { createVectorRows, type RowHit, type VectorIndex, type VectorRows } from "./vector-index.ts";

export interface HnswOptions {
  /** Links per point. */
  readonly m?: number;
  /** Candidates looked at while building. */
  readonly efConstruction?: number;
  /** Candidates looked at while searching; more is slower and better. */
  readonly ef?: number;
  readonly seed?: number;
  /** For tests: how the native library is loaded. */
  readonly load?: () => NativeHnsw;
}

export interface NativeHnsw {
  readonly HierarchicalNSW: typeof HierarchicalNSW;
}

export interface Hnsw extends VectorIndex {
  readonly kind: "hnsw";
  readonly settings: HnswSettings;
  readonly rows: VectorRows;
  add(vectors: readonly ArrayLike<number>[]): Promise<void>;
  erase(rows: readonly number[]): Promise<void>;
  /** Writes the native graph to a file; see hnsw-file.ts for the whole index. */
  writeGraph(path: string): Promise<void>;
}

export type HnswSettings = Required<Omit<HnswOptions, "load">>;

const defaults: HnswSettings = { m: 16, efConstruction: 200, ef: 120, seed: 100 };
/** Points inserted before the event loop gets a turn (about 50 ms). */
const slice = 128;

/**
 * Throws `config` when the native library cannot be loaded. `over`: rows that exist already, with the file of their
 * graph if there is one; without it, `add([])` builds the graph.
 */
export function createHnsw(
  options: HnswOptions = {},
  over?: { readonly rows: VectorRows; readonly graphFile?: string },
): Hnsw {
  const { load = loadNative, ...given } = options;
  const settings = { ...defaults, ...given };
  const native = load();
  const rows = over?.rows ?? createVectorRows();
  const exact = createExactDense(rows);
  let graph: HierarchicalNSW | null = null;
  /** Rows that were offered to the graph. */
  let offered = 0;
  /** Rows that the graph holds: the offered ones that are not zero. */
  let points = 0;
  let growing: Promise<void> | null = null;

  if (over?.graphFile !== undefined) {
    graph = new native.HierarchicalNSW("ip", rows.dimension!);
    graph.readIndexSync(over.graphFile);
    graph.setEf(settings.ef); // the file does not hold it
    offered = rows.size;
    points = graph.getCurrentCount();
  }

  const insert = (row: number) => {
    if (rows.isZero(row)) return;
    if (graph === null) {
      graph = new native.HierarchicalNSW("ip", rows.dimension!);
      graph.initIndex(Math.max(256, rows.size), settings.m, settings.efConstruction, settings.seed);
      graph.setEf(settings.ef);
    }
    if (points === graph.getMaxElements()) graph.resizeIndex(Math.max(2 * points, rows.size));
    graph.addPoint(Array.from(rows.row(row)), row); // typed arrays are refused
    points++;
  };
  const grow = async () => {
    while (offered < rows.size) {
      for (const end = Math.min(offered + slice, rows.size); offered < end; offered++) insert(offered);
      if (offered < rows.size) await new Promise(setImmediate);
    }
  };
  const grown = () => {
    growing ??= grow().finally(() => {
      growing = null;
    });
    return growing;
  };

  const searchGraph = (vector: ArrayLike<number>, topK: number): RowHit[] => {
    const query = rows.query(vector);
    const k = Math.min(topK, points);
    if (query === null || graph === null || k === 0) return [];
    const { neighbors } = graph.searchKnn(Array.from(query), k);
    return neighbors
      .map((row) => {
        const point = rows.row(row);
        let score = 0;
        for (let i = 0; i < query.length; i++) score += point[i]! * query[i]!;
        return { row, score };
      })
      .sort((a, b) => b.score - a.score || a.row - b.row);
  };

  return {
    kind: "hnsw",
    settings,
    rows,
    get size() {
      return rows.size;
    },
    get dimension() {
      return rows.dimension;
    },
    async add(vectors) {
      rows.add(vectors);
      await grown();
    },
    async erase(erased) {
      await growing;
      rows.erase(erased);
      graph = null;
      offered = 0;
      points = 0;
      await grown();
    },
    search(vector, topK, options) {
      const visible = checkSearch(topK, rows.size, options);
      if (visible < rows.size || offered < rows.size) return exact.search(vector, topK, { visible });
      return searchGraph(vector, topK);
    },
    async writeGraph(path) {
      await grown();
      if (graph === null) throw new UmaError("store", "there is no graph to write: the index is empty");
      await graph.writeIndex(path);
    },
  };
}

let warned = false;

/** An HNSW index, or an exact one with one warning per process when the native library was not compiled. */
export function createHnswOrExact(options: HnswOptions = {}, over?: { readonly rows: VectorRows }): VectorIndex {
  try {
    return createHnsw(options, over);
  } catch (failure) {
    if (!(failure instanceof UmaError)) throw failure;
    if (!warned) {
      warned = true;
      process.emitWarning(`${failure.message}; searching exactly instead (same results, slower on large contexts)`, {
        code: "UMAGRAPH_NO_HNSW",
        detail: failure.fix ?? "",
      });
    }
    return createExactDense(over?.rows);
  }
}

function loadNative(): NativeHnsw {
  try {
    return createRequire(import.meta.url)("hnswlib-node") as NativeHnsw;
  } catch (cause) {
    throw new UmaError("config", `hnswlib-node cannot be loaded (${messageOf(cause).split("\n")[0]})`, {
      fix: "npm rebuild hnswlib-node (needs a C++ compiler and install scripts allowed)",
      cause,
    });
  }
}
