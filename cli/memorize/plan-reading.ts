/**
 * What `memorize` has to read: of each document the messages that the memory has not seen, cut into chunks.
 *
 * Documents are known by content first and by name second, so a renamed copy is not read again, a chat that has grown
 * gives only its new messages, and two different files of one name stay two documents.
 */
import { contentHash } from "../../base/hash.ts";
import { chunkSessions } from "../../memory/chunking.ts";
import type { Document } from "../../memory/ingest/document.ts";
import type { KeptChunk, KeptDocument, KeptMemory } from "../../memory/kept-memory.ts";

/** As it lies on disk while it is being carried out. */
export interface Plan {
  /** Version of the memory that this goes on from; 0 for a new one. */
  readonly from: number;
  /** New ones, behind those that the memory has. */
  readonly chunks: readonly KeptChunk[];
  /** What will be known of the documents afterwards, each in place of the one it has grown from. */
  readonly documents: readonly (KeptDocument & { readonly replaces: string | null })[];
}

export interface PlannedReading {
  readonly plan: Plan;
  /** Documents that were read before as they are. */
  readonly unchanged: number;
  /** Documents left out because another one has the same bytes. */
  readonly copies: readonly { readonly name: string; readonly of: string }[];
}

export function planReading(
  kept: KeptMemory,
  from: number,
  documents: readonly Document[],
  options: { maxTokens: number; countTokens: (text: string) => number },
): PlannedReading {
  const known = new Map(kept.documents.map((document) => [document.hash, document.name]));
  const grown = new Set<KeptDocument>();
  const chunks: KeptChunk[] = [];
  const read: Plan["documents"][number][] = [];
  const copies: { name: string; of: string }[] = [];
  let unchanged = 0;
  for (const document of documents) {
    const same = known.get(document.hash);
    if (same === document.name) unchanged++;
    else if (same !== undefined) copies.push({ name: document.name, of: same });
    if (same !== undefined) continue;
    known.set(document.hash, document.name);
    const messages = document.sessions.map((session) => session.map(({ text }) => ({ text, hash: messageHash(text) })));
    const hashes = messages.flat().map(({ hash }) => hash);
    const before = grownFrom(
      document.name,
      hashes,
      kept.documents.filter((candidate) => !grown.has(candidate)),
    );
    if (before) grown.add(before);
    const seen = countEach(before?.messages ?? []);
    const fresh = messages.map((session) => session.filter(({ hash }) => !take(seen, hash)).map(({ text }) => text));
    const texts = chunkSessions(
      fresh.filter((session) => session.length > 0),
      options,
    ).filter((text) => text.trim() !== "");
    chunks.push(...texts.map((text) => ({ text, document: document.name })));
    read.push({ name: document.name, hash: document.hash, messages: hashes, replaces: before?.hash ?? null });
  }
  return { plan: { from, chunks, documents: read }, unchanged, copies };
}

/** The document of that name which this one continues: at least half of what it said is still there. */
function grownFrom(name: string, hashes: readonly string[], candidates: readonly KeptDocument[]): KeptDocument | null {
  const [best] = candidates
    .filter((candidate) => candidate.name === name)
    .map((candidate) => {
      const now = countEach(hashes);
      return { candidate, shared: candidate.messages.filter((hash) => take(now, hash)).length };
    })
    .filter(({ candidate, shared }) => 2 * shared >= candidate.messages.length)
    .sort((a, b) => b.shared - a.shared);
  return best?.candidate ?? null;
}

/** The line end after the last message of a file comes and goes as the file grows. */
const messageHash = (text: string) => contentHash(text.trimEnd());

function countEach(hashes: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const hash of hashes) counts.set(hash, (counts.get(hash) ?? 0) + 1);
  return counts;
}

/** Takes one of these away; false when there is none left. */
function take(counts: Map<string, number>, hash: string): boolean {
  const left = counts.get(hash) ?? 0;
  if (left > 0) counts.set(hash, left - 1);
  return left > 0;
}

/** The memory that the plan leads to, with its new chunks still unread. */
export function withPlan(kept: KeptMemory, plan: Plan): KeptMemory {
  const replaced = new Set(plan.documents.map(({ replaces }) => replaces));
  return {
    memory: kept.memory,
    chunks: [...kept.chunks, ...plan.chunks.map((chunk) => ({ ...chunk, unread: true as const }))],
    documents: [
      ...kept.documents.filter(({ hash }) => !replaced.has(hash)),
      ...plan.documents.map(({ name, hash, messages }) => ({ name, hash, messages })),
    ],
  };
}

/** 0-based positions of the chunks that are to be read, in order. */
export const unreadChunks = ({ chunks }: KeptMemory): number[] =>
  chunks.flatMap((chunk, k) => (chunk.unread ? [k] : []));
