/**
 * How fast the indexes are built and searched. Lexical: synthetic sub-chunks of 120 words, word frequencies by Zipf's
 * law, queries of 6 words from the same law. Dense: clustered random vectors of 256 numbers, top 20.
 */
import { createRequire } from "node:module";
import { rng } from "../base/rng.ts";
import { createBm25 } from "../retrieval/bm25.ts";
import { charNGrams } from "../retrieval/char-n-grams.ts";
import { createExactDense } from "../retrieval/exact-dense.ts";
import { createHnsw } from "../retrieval/hnsw.ts";
import { StaticEmbeddings } from "../retrieval/static-embedder.ts";
import { cjk } from "../retrieval/tokenize.ts";

export interface Speed {
  readonly index: string;
  readonly documents: number;
  /** null: left out at this size, see `note`. */
  readonly buildSeconds: number | null;
  readonly queriesPerSecond: number | null;
  readonly medianMs: number | null;
  readonly note?: string;
}

export interface Approximate {
  readonly vectors: number;
  readonly dimension: number;
  readonly recallAt20: number;
  readonly target: number;
}

const dimension = 256;
const topK = 20;

interface Searchable {
  search(query: number): unknown;
}

async function timed(
  index: string,
  documents: number,
  queries: number,
  build: () => Searchable | Promise<Searchable>,
  note?: string,
): Promise<Speed> {
  const before = performance.now();
  const built = await build();
  const buildSeconds = (performance.now() - before) / 1000;
  const took: number[] = [];
  const start = performance.now();
  // at least 20 queries, then as many as fit into two seconds
  for (let i = 0; i < queries && (i < 20 || performance.now() - start < 2000); i++) {
    const from = performance.now();
    await built.search(i);
    took.push(performance.now() - from);
  }
  const total = took.reduce((sum, ms) => sum + ms, 0);
  const medianMs = took.sort((a, b) => a - b)[Math.floor(took.length / 2)]!;
  const measured = { index, documents, buildSeconds, queriesPerSecond: (1000 * took.length) / total, medianMs };
  return note === undefined ? measured : { ...measured, note };
}

function zipfTexts(name: string, count: number, words: number, vocabulary: number): string[] {
  const random = rng("bench", "retrieval", name);
  // the share of ranks up to r is about log r / log V
  const word = () => `w${Math.floor(vocabulary ** random.next())}`;
  return Array.from({ length: count }, () => Array.from({ length: words }, word).join(" "));
}

interface Wink {
  defineConfig(config: object): void;
  definePrepTasks(tasks: readonly ((input: string) => unknown)[]): void;
  addDoc(document: object, id: number): void;
  consolidate(): void;
  search(query: string, limit: number): unknown;
}

/** `winkUpTo`: wink-bm25-text-search needs minutes and gigabytes beyond ten thousand documents. */
export async function measureLexical(
  sizes: readonly number[],
  winkUpTo: number,
  progress: (line: string) => void,
): Promise<Speed[]> {
  const speeds: Speed[] = [];
  const queries = zipfTexts("queries", 2_000, 6, 50_000);
  for (const size of sizes) {
    const texts = zipfTexts("documents", size, 120, 50_000);
    progress(`BM25 over ${size} sub-chunks`);
    speeds.push(
      await timed("bm25", size, queries.length, () => {
        const bm25 = createBm25(texts);
        return { search: (i) => bm25.search(queries[i]!, topK) };
      }),
    );
    if (size > winkUpTo) {
      const note = `left out above ${winkUpTo}; --wink-up-to ${size} runs it`;
      speeds.push({ index: wink, documents: size, buildSeconds: null, queriesPerSecond: null, medianMs: null, note });
    } else {
      progress(`${wink} over ${size} sub-chunks`);
      speeds.push(
        await timed(wink, size, 200, () => {
          const engine: Wink = createRequire(import.meta.url)(wink)();
          engine.defineConfig({ fldWeights: { body: 1 }, bm25Params: { k1: 1.2, b: 0.75, k: 1 } });
          engine.definePrepTasks([cjk]);
          texts.forEach((body, id) => {
            engine.addDoc({ body }, id);
          });
          engine.consolidate();
          return { search: (i) => engine.search(queries[i]!, topK) };
        }),
      );
    }
    if (size <= 10_000) {
      progress(`character n-grams over ${size} sub-chunks`);
      speeds.push(
        await timed("n-grams", size, queries.length, () => {
          const bm25 = createBm25(texts, { analyser: charNGrams() });
          return { search: (i) => bm25.search(queries[i]!, topK) };
        }),
      );
    }
  }
  return speeds;
}

const wink = "wink-bm25-text-search";

export async function measureEmbedder(progress: (line: string) => void): Promise<Speed> {
  const chunks = 3_000;
  progress(`static embedder over ${chunks} sub-chunks`);
  // words that the table knows, about 900 characters
  const random = rng("bench", "retrieval", "embedder");
  const nouns = "dog budget train violin garden river letter window market doctor kitchen summer mountain ticket".split(
    " ",
  );
  const texts = Array.from({ length: chunks }, () => Array.from({ length: 140 }, () => random.pick(nouns)).join(" "));
  const embedder = new StaticEmbeddings();
  return timed("static embedder (a query is one text)", chunks, 2_000, async () => {
    await embedder.embedDocuments(texts);
    return { search: (i) => embedder.embedQuery(texts[i]!) };
  });
}

/** Exact and HNSW search over the same vectors; recall at `hnswVectors`, which takes a minute or more to build. */
export async function measureDense(
  sizes: readonly number[],
  hnswVectors: number,
  progress: (line: string) => void,
): Promise<{ readonly speeds: Speed[]; readonly approximate: Approximate | null }> {
  const speeds: Speed[] = [];
  let approximate: Approximate | null = null;
  const queries = clustered("queries", 2_000);
  for (const size of [...new Set([...sizes, ...(hnswVectors > 0 ? [hnswVectors] : [])])].sort((a, b) => a - b)) {
    const vectors = clustered("vectors", size);
    const exact = createExactDense();
    progress(`exact search over ${size} vectors`);
    speeds.push(
      await timed("exact", size, queries.length, async () => {
        await exact.add(vectors);
        return { search: (i) => exact.search(queries[i]!, topK) };
      }),
    );
    if (hnswVectors === 0) continue;
    if (size > hnswVectors) {
      const note = `left out above ${hnswVectors}; --hnsw-vectors ${size} runs it`;
      speeds.push({ index: "hnsw", documents: size, buildSeconds: null, queriesPerSecond: null, medianMs: null, note });
      continue;
    }
    const hnsw = createHnsw();
    progress(`hnsw over ${size} vectors`);
    speeds.push(
      await timed("hnsw", size, queries.length, async () => {
        await hnsw.add(vectors);
        return { search: (i) => hnsw.search(queries[i]!, topK) };
      }),
    );
    if (size !== hnswVectors) continue;
    progress(`recall of hnsw over ${size} vectors`);
    const asked = queries.slice(0, 200);
    const found = asked.map((query) => {
      const best = new Set(exact.search(query, topK).map((hit) => hit.row));
      return hnsw.search(query, topK).filter((hit) => best.has(hit.row)).length;
    });
    const recallAt20 = found.reduce((sum, n) => sum + n, 0) / (topK * asked.length);
    approximate = { vectors: size, dimension, recallAt20, target: 0.98 };
  }
  return { speeds, approximate };
}

/** Points around 200 centres: embeddings of real text clump, and that is what makes approximate search hard or easy. */
function clustered(name: string, count: number): Float32Array[] {
  const random = rng("bench", "retrieval", "vectors", name);
  const shape = rng("bench", "retrieval", "centres");
  const centre = () => Float32Array.from({ length: dimension }, () => shape.next() - 0.5);
  const centres = Array.from({ length: 200 }, centre);
  return Array.from({ length: count }, () => {
    const near = random.pick(centres);
    return near.map((value) => value + 0.8 * (random.next() - 0.5));
  });
}
