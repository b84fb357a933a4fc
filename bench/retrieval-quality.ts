/**
 * How much of the evidence each retrieval method finds: recall@5, recall@20 and the reciprocal rank of the first find,
 * with 95 % intervals from 2,000 resamplings of whole conversations (questions of one conversation are not independent).
 */
import { rng } from "../base/rng.ts";
import type { Hit } from "../retrieval/retriever.ts";
import { createSource, type Source } from "../retrieval/source.ts";
import { readLocomo, retrievalSet } from "./locomo-lines.ts";

export interface Estimate {
  /** Percent. */
  readonly mean: number;
  readonly low: number;
  readonly high: number;
}

export interface MethodQuality {
  readonly method: string;
  readonly recallAt5: Estimate;
  readonly recallAt20: Estimate;
  readonly mrr: Estimate;
  /** Recall@5 minus that of BM25, question by question; null for BM25 itself. */
  readonly recallAt5OverBm25: Estimate | null;
  /** The figure that recall@5 has to reach, where one is set. */
  readonly target: number | null;
}

export interface Quality {
  readonly conversations: number;
  readonly subChunks: number;
  readonly questions: number;
  readonly methods: readonly MethodQuality[];
}

interface Sources {
  readonly plain: Source;
  readonly withNGrams: Source;
  readonly published: Source;
}

interface Method {
  readonly name: string;
  readonly target?: number;
  search(sources: Sources, query: string): Promise<Hit[]>;
}

/** Long enough for every document of a conversation. */
const depth = 1_000;
const methods: readonly Method[] = [
  { name: "bm25", target: 70, search: ({ plain }, query) => plain.bm25(query, depth) },
  { name: "bm25, rank-bm25 profile", search: ({ published }, query) => published.bm25(query, depth) },
  { name: "embedding, best line", search: ({ plain }, query) => plain.embedding(query, depth) },
  { name: "rrf", search: ({ plain }, query) => plain.rrf(query, depth) },
  { name: "hybrid", target: 73, search: ({ plain }, query) => plain.hybrid(query, depth) },
  { name: "hybrid with n-grams", target: 75, search: ({ withNGrams }, query) => withNGrams.hybrid(query, depth) },
];

/** What one question gives, as fractions. */
interface Scored {
  readonly at5: number;
  readonly at20: number;
  readonly reciprocal: number;
}

export async function measureQuality(path: string, progress: (line: string) => void): Promise<Quality> {
  /** By method, then conversation, then question. */
  const scored = methods.map((): Scored[][] => []);
  let subChunks = 0;
  let count = 0;
  const conversations = readLocomo(path);
  for (const conversation of conversations) {
    progress(`${conversation.id}: ${conversation.questions.length} questions`);
    const { source: plain, questions } = retrievalSet(conversation);
    const sources: Sources = {
      plain,
      withNGrams: createSource(plain.chunks, { nGrams: true }),
      published: createSource(plain.chunks, { bm25: { profile: "rank-bm25" }, analyser: "rank-bm25" }),
    };
    for (const [i, method] of methods.entries()) {
      const results: Scored[] = [];
      for (const { text, gold } of questions) results.push(scoreOf(await method.search(sources, text), gold));
      scored[i]!.push(results);
    }
    subChunks += plain.subChunks.length;
    count += questions.length;
  }

  const [bm25] = scored;
  return {
    conversations: conversations.length,
    subChunks,
    questions: count,
    methods: methods.map(({ name, target }, i) => {
      const results = scored[i]!;
      const estimate = (of: (question: Scored, conversation: number, position: number) => number) =>
        bootstrapped(results.map((questions, c) => questions.map((question, j) => of(question, c, j))));
      return {
        method: name,
        recallAt5: estimate(({ at5 }) => at5),
        recallAt20: estimate(({ at20 }) => at20),
        mrr: estimate(({ reciprocal }) => reciprocal),
        recallAt5OverBm25: i === 0 ? null : estimate(({ at5 }, c, j) => at5 - bm25![c]![j]!.at5),
        target: target ?? null,
      };
    }),
  };
}

function scoreOf(hits: readonly Hit[], gold: ReadonlySet<number>): Scored {
  const recall = (k: number) => hits.slice(0, k).filter((hit) => gold.has(hit.index)).length / gold.size;
  const first = hits.findIndex((hit) => gold.has(hit.index));
  return { at5: recall(5), at20: recall(20), reciprocal: first === -1 ? 0 : 1 / (first + 1) };
}

/** The mean over questions, and the middle 95 % of the means of resampled conversations. */
function bootstrapped(byConversation: readonly (readonly number[])[]): Estimate {
  const sums = byConversation.map((values) => values.reduce((sum, value) => sum + value, 0));
  const meanOf = (chosen: readonly number[]) => {
    const total = chosen.reduce((sum, c) => sum + sums[c]!, 0);
    return (100 * total) / chosen.reduce((sum, c) => sum + byConversation[c]!.length, 0);
  };
  const all = byConversation.map((_, c) => c);
  const random = rng("bench", "retrieval", "bootstrap");
  const means = Array.from({ length: 2_000 }, () => meanOf(all.map(() => random.pick(all)))).sort((a, b) => a - b);
  return { mean: meanOf(all), low: means[49]!, high: means[1949]! };
}
