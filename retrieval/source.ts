/**
 * A context's raw text as phase II searches it (UMA §2.2, App. A.2): chunks, their sub-chunks and the indexes over them.
 *
 * One source serves every trajectory and question of its context. Indexes are built on first use and shared; what was
 * returned never changes. A memory built up to chunk k passes `upTo: k` and is served as if later chunks did not exist
 * (BM25 scores are those of an index of the earlier chunks only), so that questions in mid-stream are honest.
 */
import { createHash } from "node:crypto";
import type { EmbeddingsInterface } from "@langchain/core/embeddings";
import { UmaError } from "../base/errors.ts";
import { type Bm25, type Bm25Options, createBm25 } from "./bm25.ts";
import { charNGrams } from "./char-n-grams.ts";
import { checkDenseIndex, createDense, type Dense, type DenseOptions } from "./dense.ts";
import { createEmbeddingCache } from "./embedding-cache.ts";
import { minMax, rrf, type ScoredLists } from "./fusion.ts";
import { lazyIndex } from "./lazy-index.ts";
import { checkCount, checkSearch, type Hit, orCancelled, type Retriever, type SearchOptions } from "./retriever.ts";
import { StaticEmbeddings } from "./static-embedder.ts";
import { type SubChunk, subChunks } from "./sub-chunks.ts";

export interface SourceSearchOptions {
  /** Chunks 0..upTo are visible; -1 is none; default all. */
  readonly upTo?: number;
  readonly signal?: AbortSignal;
}

export type SourceSearch = (query: string, topK: number, options?: SourceSearchOptions) => Promise<Hit[]>;

export interface Source {
  /** Hash of the chunks and of how they are cut. */
  readonly id: string;
  readonly chunks: readonly string[];
  /** What the hits' `index` counts. */
  readonly subChunks: readonly SubChunk[];
  readonly bm25: SourceSearch;
  readonly embedding: SourceSearch;
  /** Min-max fusion of both lists (and of the n-grams), the default of our own methods. */
  readonly hybrid: SourceSearch;
  /** Reciprocal rank fusion of BM25 and embedding: the paper's RAG baseline (§4.1). */
  readonly rrf: SourceSearch;
}

/** Makes a retriever over a source's sub-chunks, to stand in for one of ours. Called once, at the first search. */
export type StandIn = (subChunks: readonly SubChunk[]) => Retriever | Promise<Retriever>;

export interface SourceOptions
  extends Partial<Pick<DenseOptions, "embedder" | "embedderId" | "cache">>,
    Pick<Bm25Options, "analyser"> {
  /** Longest sub-chunk, in UTF-16 units. */
  readonly maxChars?: number;
  readonly dense?: DenseOptions["index"];
  /** Adds the list of character n-grams to the hybrid. */
  readonly nGrams?: boolean;
  readonly bm25?: Omit<Bm25Options, "analyser" | "name">;
  readonly retrievers?: { readonly bm25?: StandIn; readonly embedding?: StandIn };
}

/** Hits that each list brings to a fusion, at least. */
const fusionDepth = 1_000;

export function createSource(chunks: readonly string[], options: SourceOptions = {}): Source {
  const found = subChunks(chunks, options.maxChars);
  return sourceOver([...chunks], found, createIndexes(found, options), options);
}

/** What a source shares with the sources that extend it: texts that are only appended to, and their indexes. */
interface Indexes {
  readonly texts: string[];
  readonly bm25: (count: number) => Promise<Retriever>;
  readonly embedding: (count: number) => Promise<Retriever>;
  readonly nGrams: (count: number) => Promise<Retriever>;
}

const origins = new WeakMap<Source, { readonly indexes: Indexes; readonly options: SourceOptions }>();

/**
 * The source with more chunks at its end; the old one stays as it is. The first extension of a source adds to the same
 * indexes, so only what is new is analysed and embedded; a second one branches off and starts with indexes of its own.
 */
export function extendSource(source: Source, more: readonly string[]): Source {
  const origin = origins.get(source);
  if (origin === undefined) {
    throw new UmaError("config", "extendSource: expected a source made by createSource or extendSource");
  }
  const { indexes, options } = origin;
  const chunks = [...source.chunks, ...more];
  const first = { chunk: source.chunks.length, index: source.subChunks.length };
  const added = subChunks(more, options.maxChars, first);
  const all = [...source.subChunks, ...added];
  if (indexes.texts.length !== source.subChunks.length) {
    return sourceOver(chunks, all, createIndexes(all, options), options);
  }
  for (const { text } of added) indexes.texts.push(text);
  return sourceOver(chunks, all, indexes, options);
}

function createIndexes(found: readonly SubChunk[], options: SourceOptions): Indexes {
  const texts = found.map((subChunk) => subChunk.text);
  const { analyser, embedder, dense } = options;
  if (dense !== undefined) checkDenseIndex(dense);
  const bm25 = createBm25([], { ...options.bm25, ...(analyser === undefined ? {} : { analyser }) });
  return {
    texts,
    bm25: lazyIndex<Bm25>(() => bm25, texts),
    nGrams: lazyIndex<Bm25>(() => createBm25([], { analyser: charNGrams(), name: "n-grams" }), texts),
    embedding:
      embedder === undefined
        ? lazyIndex<Dense>(() => createDense({ embedder: new StaticEmbeddings(), index: dense }), texts)
        : ownEmbedding(embedder, texts, options),
  };
}

/** An embedder that costs time or money per text: cached, if only for this source, and checked now, not at first use. */
function ownEmbedding(embedder: EmbeddingsInterface, texts: readonly string[], options: SourceOptions) {
  // what a source caches for itself is questions asked again and the finished part of a build that failed
  const { cache = createEmbeddingCache({ maxVectors: 10_000 }), dense: index } = options;
  const embedderId = options.embedderId ?? (options.cache === undefined ? "own" : undefined);
  const dense = createDense({ embedder, embedderId, cache, index });
  return lazyIndex<Dense>(() => dense, texts);
}

function sourceOver(
  chunks: readonly string[],
  found: readonly SubChunk[],
  indexes: Indexes,
  options: SourceOptions,
): Source {
  const { bm25: bm25StandIn, embedding: embeddingStandIn } = options.retrievers ?? {};
  const size = found.length;
  const bm25 = bm25StandIn === undefined ? () => indexes.bm25(size) : onceWorking(() => bm25StandIn(found));
  const embedding =
    embeddingStandIn === undefined ? () => indexes.embedding(size) : onceWorking(() => embeddingStandIn(found));

  /** Always bounded by this source's own size: the shared indexes may hold more. */
  const boundsOf = (topK: number, { upTo, signal }: SourceSearchOptions) => {
    const visible = upTo === undefined ? size : subChunksUpTo(found, upTo);
    checkSearch(topK, size, { visible, signal });
    return { visible, signal };
  };
  const search = async (retriever: () => Promise<Retriever>, query: string, topK: number, bounds: SearchOptions) => {
    const ready = await orCancelled(retriever(), bounds.signal);
    return ready.search(query, topK, bounds);
  };
  const alone =
    (retriever: () => Promise<Retriever>): SourceSearch =>
    async (query, topK, searchOptions = {}) => {
      const bounds = boundsOf(topK, searchOptions);
      return topK === 0 || bounds.visible === 0 ? [] : search(retriever, query, topK, bounds);
    };
  const fused =
    (
      retrievers: Readonly<Record<string, () => Promise<Retriever>>>,
      fuse: (lists: ScoredLists) => Hit[],
    ): SourceSearch =>
    async (query, topK, searchOptions = {}) => {
      const bounds = boundsOf(topK, searchOptions);
      if (topK === 0 || bounds.visible === 0) return [];
      const depth = Math.max(topK, fusionDepth);
      const lists = await Promise.all(
        Object.entries(retrievers).map(
          async ([name, retriever]) => [name, await search(retriever, query, depth, bounds)] as const,
        ),
      );
      return fuse(Object.fromEntries(lists)).slice(0, topK);
    };

  const floors: Record<string, number> = { "n-grams": 0, ...(bm25StandIn === undefined ? { bm25: 0 } : {}) };
  const voices: Record<string, () => Promise<Retriever>> = { bm25, embedding };
  if (options.nGrams) voices["n-grams"] = () => indexes.nGrams(size);
  const source: Source = {
    id: sourceId(chunks, options.maxChars ?? 1000),
    chunks: Object.freeze(chunks),
    subChunks: Object.freeze(found),
    bm25: alone(bm25),
    embedding: alone(embedding),
    hybrid: fused(voices, (lists) => minMax(lists, {}, { floors })),
    rrf: fused({ bm25, embedding }, (lists) => rrf(lists)),
  };
  origins.set(source, { indexes, options });
  return source;
}

/** How many sub-chunks belong to chunks 0..upTo. */
function subChunksUpTo(found: readonly SubChunk[], upTo: number): number {
  if (upTo !== -1) checkCount("upTo", upTo);
  let low = 0;
  let high = found.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (found[middle]!.chunk <= upTo) low = middle + 1;
    else high = middle;
  }
  return low;
}

function onceWorking<T>(make: () => T | Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    if (made === undefined) {
      const attempt = Promise.resolve().then(make);
      attempt.catch(() => {
        made = undefined;
      });
      made = attempt;
    }
    return made;
  };
}

function sourceId(chunks: readonly string[], maxChars: number): string {
  const hash = createHash("sha256").update(`sub-chunks ${maxChars}\n`);
  for (const chunk of chunks) hash.update(`${chunk.length}\n`).update(chunk, "utf16le");
  return hash.digest("hex").slice(0, 16);
}
