/** What an answer rests on: the entries its session read, with the chunks they come from, and passages of the raw text. */
import { entriesOf } from "../memory/bank.ts";
import type { KeptMemory } from "../memory/kept-memory.ts";
import type { SessionRecord } from "../nodes/session/record.ts";

const EXCERPT = 120;

/** By identity, so that a title that has changed since is no matter. Chunks are numbered from 1. */
export function answerSources(session: SessionRecord, kept: KeptMemory) {
  const reads = [...session.given, ...session.calls.flatMap((call) => call.reads)];
  const documentOf = (chunk: number) => kept.chunks[chunk]?.document ?? "unknown";
  const wanted = new Set(reads.filter((read) => read.kind === "entry").map((read) => read.id));
  const entries = [...entriesOf(kept.memory.bank)]
    .filter((entry) => wanted.has(entry.id))
    .map((entry) => {
      const touched = [entry.lineage.origin, ...entry.lineage.touches].flatMap(({ chunk }) =>
        chunk === null ? [] : [chunk],
      );
      const chunks = [...new Set(touched)].map((chunk) => ({ chunk: chunk + 1, document: documentOf(chunk) }));
      return { id: entry.id, title: entry.title, content: entry.content, chunks };
    });
  const spans = new Map(reads.flatMap((read) => (read.span ? [[read.id, read.span] as const] : [])));
  const chunks = [...spans].map(([id, { chunk, start, end }]) => ({
    id,
    chunk: chunk + 1,
    document: documentOf(chunk),
    excerpt: kept.chunks[chunk]!.text.slice(start, end).replace(/\s+/g, " ").trim().slice(0, EXCERPT),
  }));
  return { entries, chunks };
}
