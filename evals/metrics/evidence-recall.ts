/**
 * Evidence recall@k: the share of a question's evidence that stands in the first k passages a session read.
 *
 * Passages count in the order in which they were read, over all retrieval calls of the session; one that came before is
 * not counted again. A piece of evidence is found when the passages together cover at least half of its characters, so
 * that a turn cut by a passage's edge is found by the side that holds most of it.
 */
import type { Evidence, Question } from "../benchmark.ts";

/** A retrieved passage: UTF-16 offsets into one chunk. */
export interface ReadSpan {
  readonly chunk: number;
  readonly start: number;
  readonly end: number;
  /** Place within its own retrieval call; the order of the list decides here. */
  readonly rank: number;
}

const foundShare = 0.5;

/** In [0, 1]; null when the question has no evidence to find. */
export function evidenceRecall(question: Question, reads: readonly ReadSpan[], k: number): number | null {
  const evidence = question.evidence ?? [];
  if (evidence.length === 0) return null;
  const first = distinctSpans(reads).slice(0, k);
  return evidence.filter((span) => coveredShare(span, first) >= foundShare).length / evidence.length;
}

function distinctSpans(reads: readonly ReadSpan[]): ReadSpan[] {
  return [...new Map(reads.map((read) => [`${read.chunk}:${read.start}:${read.end}`, read])).values()];
}

function coveredShare(span: Evidence, reads: readonly ReadSpan[]): number {
  const cuts = reads
    .filter((read) => read.chunk === span.chunk && read.start < span.end && read.end > span.start)
    .sort((a, b) => a.start - b.start);
  let covered = 0;
  let reached = span.start;
  for (const cut of cuts) {
    const end = Math.min(cut.end, span.end);
    if (end > reached) covered += end - Math.max(cut.start, reached);
    reached = Math.max(reached, end);
  }
  return covered / (span.end - span.start);
}
