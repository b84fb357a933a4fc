/**
 * Two ways to make one list of several (UMA §4.1 uses the first for its RAG baseline).
 *
 * Reciprocal rank fusion: Σ 1 / (k + rank), rank from 1. It needs no comparable scores, and loses to BM25 alone when
 * one list is much weaker than the other.
 * Min-max fusion, our hybrid's default: each list is stretched to 0..1 and the weighted values are added up; a document
 * that a list does not hold gets 0 from it. Needs true scores, not ranks.
 *
 * The score of a document in every list that holds it is kept in `parts`.
 */
import { UmaError } from "../base/errors.ts";
import { checkCount, type Hit } from "./retriever.ts";
import { bestFirst } from "./top-hits.ts";

/** Lists by name, each best first. */
export type ScoredLists = Readonly<Record<string, readonly Hit[]>>;

export function rrf(lists: ScoredLists, k = 60): Hit[] {
  checkCount("k", k);
  return fuse(lists, (list) => list.map((_, position) => 1 / (k + position + 1)));
}

export interface MinMaxOptions {
  /**
   * What a list's zero is, when it is known: a document that BM25 does not return scored 0, so the weakest one that it
   * does return must not count as nothing too. Default: the lowest score in the list.
   */
  readonly floors?: Readonly<Record<string, number>>;
}

/** `weights` by list name; default equal. A list whose scores are all equal adds nothing, unless a floor is below. */
export function minMax(
  lists: ScoredLists,
  weights: Readonly<Record<string, number>> = {},
  options: MinMaxOptions = {},
): Hit[] {
  const count = Object.keys(lists).length;
  return fuse(lists, (list, name) => {
    const weight = weights[name] ?? 1 / count;
    if (!(weight >= 0 && weight < Number.POSITIVE_INFINITY)) {
      throw new UmaError("config", `weight of ${name}: expected a number of 0 or more, got ${weight}`);
    }
    const scores = list.map((hit) => hit.score);
    const low = scores.reduce((least, score) => Math.min(least, score), options.floors?.[name] ?? Infinity);
    const high = scores.reduce((most, score) => Math.max(most, score), -Infinity);
    return scores.map((score) => (high > low ? (weight * (score - low)) / (high - low) : 0));
  });
}

function fuse(lists: ScoredLists, valuesOf: (list: readonly Hit[], name: string) => readonly number[]): Hit[] {
  const fused = new Map<number, { index: number; score: number; parts: Record<string, number> }>();
  for (const [name, list] of Object.entries(lists)) {
    const values = valuesOf(list, name);
    list.forEach((hit, position) => {
      let held = fused.get(hit.index);
      if (held === undefined) {
        held = { index: hit.index, score: 0, parts: {} };
        fused.set(hit.index, held);
      }
      held.score += values[position]!;
      held.parts[name] = hit.score;
    });
  }
  return [...fused.values()].sort(bestFirst);
}
