/**
 * BM25 over a growing list of documents: the lexical search of UMA's phase II (App. A.2) and of its RAG baseline.
 *
 *     score(q, d) = Σ_t qtf(t) · idf(t) · tf (k1 + 1) / (tf + k1 (1 − b + b · |d| / avgdl))
 *
 * Profile `lucene` (default): idf = ln(1 + (N − n + ½) / (n + ½)), never negative; k1 = 1.2 (higher: repeated words
 * count more before they saturate), b = 0.75 (0: length is ignored, 1: fully normalised).
 * Profile `rank-bm25`: as the published harness: idf = ln((N − n + ½) / (n + ½)), a negative one replaced by a quarter
 * of the mean idf, k1 = 1.5, its own tokenisation. It inverts ranks on tiny corpora; for comparison only.
 *
 * A search with `visible` scores bit for bit as an index of only those documents would: n comes from a binary search in
 * the sorted postings, N and avgdl from running sums.
 */
import { UmaError } from "../base/errors.ts";
import { createPostings } from "./postings.ts";
import { checkCount, checkSearch, type Retriever, type SearchOptions } from "./retriever.ts";
import { type Analyser, type AnalyserName, analyserOf, type Term } from "./tokenize.ts";
import { topHits } from "./top-hits.ts";

export interface Bm25Options {
  readonly profile?: "lucene" | "rank-bm25";
  /** ≥ 0. */
  readonly k1?: number;
  /** 0..1. */
  readonly b?: number;
  /** Default `cjk`, for profile `rank-bm25` its own. */
  readonly analyser?: AnalyserName | Analyser;
  readonly name?: string;
}

export interface Bm25 extends Retriever {
  /** Positions handed out so far, removed documents included. */
  readonly size: number;
  /** Appends documents; the first of them gets position `size`. */
  add(documents: readonly string[]): void;
  /** Forgets documents. Their positions are not used again and the others keep theirs. */
  remove(positions: readonly number[]): void;
  /** The score of every visible position; 0 where no term matches. */
  scores(query: string, options?: Pick<SearchOptions, "visible">): Float64Array;
  /** The weight of a term, or null when no visible document holds it. */
  idf(term: Term, options?: Pick<SearchOptions, "visible">): number | null;
}

const profiles = {
  lucene: { k1: 1.2, b: 0.75, analyser: "cjk" },
  "rank-bm25": { k1: 1.5, b: 0.75, analyser: "rank-bm25" },
} as const;
/** The share of the mean idf that replaces a negative one in profile `rank-bm25`. */
const epsilon = 0.25;

export function createBm25(documents: readonly string[] = [], options: Bm25Options = {}): Bm25 {
  const { profile, k1, b, analyse } = checked(options);
  const postings = createPostings();
  let lengths = new Uint32Array(64);
  let size = 0;
  const removed = new Set<number>();
  /** Running sums over positions: documents alive and their terms before position i. Rebuilt after a removal. */
  let aliveBefore = new Float64Array(65);
  let termsBefore = new Float64Array(65);
  let accumulated = new Float64Array(64);
  let meanIdf = { visible: -1, value: 0 };

  const reserve = (wanted: number) => {
    if (wanted <= lengths.length) return;
    const capacity = Math.max(wanted, 2 * lengths.length);
    const larger = <A extends Uint32Array | Float64Array>(target: A, source: A) => {
      target.set(source);
      return target;
    };
    lengths = larger(new Uint32Array(capacity), lengths);
    aliveBefore = larger(new Float64Array(capacity + 1), aliveBefore);
    termsBefore = larger(new Float64Array(capacity + 1), termsBefore);
    accumulated = new Float64Array(capacity);
  };
  const sumFrom = (first: number) => {
    for (let i = first; i < size; i++) {
      aliveBefore[i + 1] = aliveBefore[i]! + (removed.has(i) ? 0 : 1);
      termsBefore[i + 1] = termsBefore[i]! + lengths[i]!;
    }
    meanIdf = { visible: -1, value: 0 };
  };

  const add = (texts: readonly string[]) => {
    const analysed = texts.map((text) => analyse(text)); // a throwing analyser leaves the index as it was
    reserve(size + texts.length);
    const first = size;
    for (const terms of analysed) {
      const counts = new Map<Term, number>();
      for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
      lengths[size] = terms.length;
      postings.add(size, counts);
      size++;
    }
    postings.settle();
    sumFrom(first);
  };

  const rawIdf = (n: number, total: number) => {
    const ratio = (total - n + 0.5) / (n + 0.5);
    return Math.log(profile === "lucene" ? 1 + ratio : ratio);
  };
  const meanIdfOf = (visible: number, total: number) => {
    if (meanIdf.visible === visible) return meanIdf.value;
    let sum = 0;
    let count = 0;
    for (const id of postings.terms.values()) {
      const n = postings.documents(id, visible);
      if (n === 0) continue;
      sum += rawIdf(n, total);
      count++;
    }
    meanIdf = { visible, value: sum / count };
    return meanIdf.value;
  };
  const weightOf = (n: number, visible: number) => {
    const total = aliveBefore[visible]!;
    const idf = rawIdf(n, total);
    return idf < 0 ? epsilon * meanIdfOf(visible, total) : idf;
  };

  /** Adds up scores in `accumulated` (all zero before and, by the caller, after) and lists the positions it touched. */
  const accumulate = (query: string, visible: number): Uint32Array => {
    const wanted = new Map<Term, number>();
    for (const term of analyse(query)) wanted.set(term, (wanted.get(term) ?? 0) + 1);
    const touched = new Uint32Array(visible);
    const seen = new Uint8Array(visible);
    let count = 0;
    const perLength = (k1 * b) / (termsBefore[visible]! / aliveBefore[visible]!);
    const base = k1 * (1 - b);
    for (const [term, times] of wanted) {
      const id = postings.terms.get(term);
      if (id === undefined) continue;
      const n = postings.documents(id, visible);
      if (n === 0) continue;
      const weight = times * weightOf(n, visible) * (k1 + 1);
      const { pairs } = postings;
      const start = postings.start(id);
      const end = start + 2 * n;
      for (let at = start; at < end; at += 2) {
        const document = pairs[at]!;
        const tf = pairs[at + 1]!;
        accumulated[document]! += (weight * tf) / (tf + base + perLength * lengths[document]!);
        if (seen[document] === 0) {
          seen[document] = 1;
          touched[count++] = document;
        }
      }
    }
    return touched.subarray(0, count);
  };

  add(documents);
  return {
    name: options.name ?? "bm25",
    get size() {
      return size;
    },
    add,
    remove(positions) {
      for (const position of positions) {
        checkCount("position", position);
        if (position >= size) {
          throw new UmaError("config", `position: expected one below ${size}, got ${position}`);
        }
      }
      const alive = new Set(positions.filter((position) => !removed.has(position)));
      if (alive.size === 0) return;
      let first = size;
      for (const position of alive) {
        removed.add(position);
        lengths[position] = 0;
        first = Math.min(first, position);
      }
      postings.remove(alive);
      sumFrom(first);
    },
    async search(query, topK, searchOptions) {
      const visible = checkSearch(topK, size, searchOptions);
      const touched = accumulate(query, visible);
      const hits = topHits(accumulated, touched, topK);
      for (const position of touched) accumulated[position] = 0;
      return hits;
    },
    scores(query, searchOptions) {
      const visible = checkSearch(0, size, searchOptions);
      const touched = accumulate(query, visible);
      const all = accumulated.slice(0, visible);
      for (const position of touched) accumulated[position] = 0;
      return all;
    },
    idf(term, searchOptions) {
      const visible = checkSearch(0, size, searchOptions);
      const id = postings.terms.get(term);
      const n = id === undefined ? 0 : postings.documents(id, visible);
      return n === 0 ? null : weightOf(n, visible);
    },
  };
}

function checked(options: Bm25Options): { profile: keyof typeof profiles; k1: number; b: number; analyse: Analyser } {
  const profile = options.profile ?? "lucene";
  if (!Object.hasOwn(profiles, profile)) {
    throw new UmaError("config", `profile: expected ${Object.keys(profiles).join(" or ")}, got "${profile}"`);
  }
  const defaults = profiles[profile];
  const { k1 = defaults.k1, b = defaults.b } = options;
  if (!(k1 >= 0 && k1 < Number.POSITIVE_INFINITY)) {
    throw new UmaError("config", `k1: expected a number of 0 or more, got ${k1}`, { fix: "1.2 to 2 is usual" });
  }
  if (!(b >= 0 && b <= 1)) {
    throw new UmaError("config", `b: expected a number from 0 to 1, got ${b}`, { fix: "0.75 is usual" });
  }
  return { profile, k1, b, analyse: analyserOf(options.analyser ?? defaults.analyser) };
}
