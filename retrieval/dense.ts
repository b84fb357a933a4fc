/**
 * Dense search of documents by their best line (UMA App. A.2, memory_embedding_retrieve).
 *
 * One mean over 1,000 characters dilutes what a single line says, so every line is embedded beside the whole document,
 * which scores as the best of them does. Pieces without a vector (blank, or no known word) are left out.
 */
import type { EmbeddingsInterface } from "@langchain/core/embeddings";
import { UmaError } from "../base/errors.ts";
import { ask, type EmbeddingCache, type EmbeddingKind, type NamedEmbedder } from "./embedding-cache.ts";
import { cosines } from "./exact-dense.ts";
import { createHnswOrExact } from "./hnsw.ts";
import { checkSearch, orCancelled, type Retriever, throwIfCancelled } from "./retriever.ts";
import { topHits } from "./top-hits.ts";
import { createVectorRows, type VectorIndex } from "./vector-index.ts";

export interface DenseOptions {
  readonly embedder: EmbeddingsInterface;
  /** What the cache keys vectors by; default the embedder's own `id` or `model`. */
  readonly embedderId?: string;
  readonly cache?: EmbeddingCache;
  /** `auto`: exact up to 5,000 documents. A graph costs seconds to minutes to build and pays after ~1,500 queries. */
  readonly index?: "auto" | "exact" | "hnsw";
  /** false: one vector for the whole document and none for its lines. */
  readonly lines?: boolean;
  readonly name?: string;
}

export interface Dense extends Retriever {
  /** Documents so far, removed ones included. */
  readonly size: number;
  readonly embedderId: string;
  readonly kind: "exact" | "hnsw";
  /** Appends all of them, or none when the embedder fails. */
  add(documents: readonly string[]): Promise<void>;
  /** Erases their vectors; the positions stay and never match again. */
  remove(positions: readonly number[]): Promise<void>;
}

const exactUpTo = 5_000;
const batch = 512;

export function createDense(options: DenseOptions): Dense {
  const { index: choice = "auto", lines = true, name = "embedding" } = options;
  checkDenseIndex(choice);
  const embedder = namedEmbedder(options);
  const rows = createVectorRows();
  /** Documents by row, and the first row of each document (one more at the end). */
  const owners: number[] = [];
  const firstRow: number[] = [0];
  let graph: VectorIndex | null = null;
  let turn: Promise<unknown> = Promise.resolve();

  const embed = (kind: EmbeddingKind, texts: readonly string[]) =>
    options.cache === undefined ? ask(embedder, kind, texts) : options.cache.embed(embedder, kind, texts);
  /** Changes happen one after the other, in the order in which they were asked for. */
  const inTurn = <T>(change: () => Promise<T>): Promise<T> => {
    const result = turn.then(change);
    turn = result.catch(() => {});
    return result;
  };
  const size = () => firstRow.length - 1;
  const indexGraph = async () => {
    if (choice === "exact" || (choice === "auto" && size() <= exactUpTo)) return;
    graph ??= createHnswOrExact({}, { rows });
    await graph.add([]);
  };

  const byExactPass = (query: Float32Array, topK: number, visible: number) => {
    const scores = cosines(rows, query, firstRow[visible]!);
    if (scores === null) return [];
    const best = new Float64Array(visible).fill(Number.NaN);
    for (let row = 0; row < scores.length; row++) {
      const owner = owners[row]!;
      const score = scores[row]!;
      if (score > best[owner]! || Number.isNaN(best[owner])) best[owner] = score;
    }
    return topHits(best, visible, topK);
  };
  /** Rows come best first, so the first row of a document is its best; ask for more until there are enough documents. */
  const byGraph = (query: Float32Array, topK: number) => {
    for (let k = Math.max(64, 4 * topK); k < rows.size / 4; k *= 2) {
      const best = new Map<number, number>();
      const found = graph!.search(query, k);
      for (const { row, score } of found) if (!best.has(owners[row]!)) best.set(owners[row]!, score);
      if (best.size >= topK) {
        const hits = [...best].map(([index, score]) => ({ index, score }));
        return hits.sort((a, b) => b.score - a.score || a.index - b.index).slice(0, topK);
      }
    }
    return byExactPass(query, topK, size());
  };

  return {
    name,
    embedderId: embedder.id,
    get size() {
      return size();
    },
    get kind() {
      return graph?.kind ?? "exact";
    },
    add: (documents) =>
      inTurn(async () => {
        const pieces = documents.map((text) => (lines ? piecesOf(text) : wholeOf(text)));
        const texts = pieces.flat();
        const vectors: Float32Array[] = [];
        for (let at = 0; at < texts.length; at += batch) {
          vectors.push(...(await embed("document", texts.slice(at, at + batch))));
          await new Promise(setImmediate); // an in-process embedder would hold the event loop
        }
        const kept = vectors.map((vector) => vector.some((value) => value !== 0));
        rows.add(vectors.filter((_, i) => kept[i]));
        let at = 0;
        for (const { length } of pieces) {
          const document = size();
          for (const end = at + length; at < end; at++) if (kept[at]) owners.push(document);
          firstRow.push(owners.length);
        }
        await indexGraph();
      }),
    remove: (positions) =>
      inTurn(async () => {
        const unknown = positions.find(
          (position) => !(Number.isSafeInteger(position) && position >= 0 && position < size()),
        );
        if (unknown !== undefined) {
          throw new UmaError("config", `position: expected a whole number below ${size()}, got ${unknown}`);
        }
        const gone = new Set(positions);
        const erased = owners.flatMap((owner, row) => (gone.has(owner) ? [row] : []));
        if (graph === null) rows.erase(erased);
        else await graph.erase(erased);
      }),
    async search(query, topK, searchOptions = {}) {
      const visible = checkSearch(topK, size(), searchOptions);
      if (query.trim() === "" || visible === 0 || topK === 0) return [];
      const [vector] = await orCancelled(embed("query", [query]), searchOptions.signal);
      throwIfCancelled(searchOptions.signal);
      // `visible` was settled above: documents that were added meanwhile are not seen
      return graph?.kind === "hnsw" && visible === size()
        ? byGraph(vector!, topK)
        : byExactPass(vector!, topK, visible);
    },
  };
}

export function checkDenseIndex(choice: string): void {
  if (["auto", "exact", "hnsw"].includes(choice)) return;
  throw new UmaError("config", `dense: expected auto, exact or hnsw, got "${choice}"`);
}

const wholeOf = (text: string): string[] => (text.trim() === "" ? [] : [text]);

function piecesOf(text: string): string[] {
  const lines = text.split(/\r\n|\r|\n/).filter((line) => line.trim() !== "");
  return lines.length > 1 ? [...lines, text] : lines;
}

/** Third-party embedders rarely have an id; their model name serves. Only a shared cache needs to be sure. */
function namedEmbedder(options: DenseOptions): NamedEmbedder {
  const { embedder, embedderId, cache } = options;
  const { id, model, modelName, dimensions } = embedder as {
    readonly [key in "id" | "model" | "modelName" | "dimensions"]?: unknown;
  };
  const own = [id, model, modelName].find((name) => typeof name === "string" && name !== "");
  const width = typeof dimensions === "number" && own !== id ? `-${dimensions}` : "";
  const found = embedderId ?? (own === undefined ? undefined : `${own}${width}`);
  if (found === undefined && cache !== undefined) {
    throw new UmaError("config", "embedderId: expected a name for this embedder, because its vectors are cached", {
      fix: 'pass embedderId, e.g. "my-model-384": vectors of different models must never meet',
    });
  }
  return { id: found ?? embedder.constructor.name, embeddings: embedder };
}
