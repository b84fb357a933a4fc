/**
 * One context, packed: the sessions that every run has of it in blocks, their shared texts in one more, and their lines of
 * the page's index.
 */
import { gzipSync } from "node:zlib";
import type { SessionRecord } from "../../../nodes/session/record.ts";
import { readSection } from "../../../policies/prompt-sections.ts";
import type { ContextLine } from "../../run-folder.ts";
import type { RunLog } from "../read-run.ts";
import { hasFailed } from "../summary/session-outcomes.ts";
import type { SessionCredit } from "./session-credit.ts";
import { type SessionView, sessionView } from "./session-view.ts";
import { type PackedText, type TextPieces, textPieces } from "./text-pieces.ts";

/** One line of the index; short names, since there are thousands. */
export interface IndexedSession {
  readonly id: string;
  /** Run, by index; context, by index into `contexts`. */
  readonly r: number;
  readonly c: number;
  readonly t: number;
  readonly s: "m" | "q";
  readonly p: number;
  readonly q?: string;
  readonly score?: number | null;
  readonly end: SessionRecord["end"];
  /** Entries added, updated, deleted. */
  readonly w?: readonly [number, number, number];
  /** The core was kept. */
  readonly kept?: true;
  /** Calls that were invalid or refused. */
  readonly bad?: number;
  /** Reward and advantage, where the run has them. */
  readonly R?: number | null;
  readonly A?: number | null;
  readonly block: string;
  readonly at: number;
}

export interface IndexedContext {
  readonly id: string;
  readonly facets: ContextLine["facets"];
  readonly chunks: number;
  readonly questions: ContextLine["questions"];
  /** Block of `{ pieces, chunks }`: shared texts, and chunk texts where a session's prompt had them whole. */
  readonly texts: string;
}

/** A run as the page names it. */
export interface PageRun {
  readonly log: RunLog;
  readonly label: string;
  readonly headline: string | null;
}

/** A context with the records that each run has of it. */
export interface SharedContext {
  readonly context: ContextLine;
  readonly members: readonly { readonly run: number; readonly records: readonly SessionRecord[] }[];
}

/** Before compression; a block is unpacked as a whole. */
const BLOCK_BYTES = 400_000;

export interface ContextPack {
  readonly context: IndexedContext;
  readonly sessions: readonly IndexedSession[];
  readonly blocks: readonly (readonly [string, string])[];
  readonly bytes: number;
}

/** `share` of the sessions: the beginning of the stream and the beginning of the questions. */
export function packContext(
  { context, members }: SharedContext,
  options: {
    share: number;
    number: number;
    runs: readonly PageRun[];
    scores: readonly ReadonlyMap<string, RunLog["scores"][number]>[];
    credits: readonly ReadonlyMap<string, SessionCredit>[];
  },
): ContextPack {
  const { share, number, runs, scores, credits } = options;
  const pieces = textPieces();
  const blocks: [string, string][] = [];
  const sessions: IndexedSession[] = [];
  for (const { run, records } of members) {
    let views: SessionView[] = [];
    let size = 0;
    const flush = () => {
      if (views.length > 0) blocks.push([`s${number}-${blocks.length}`, compress(views)]);
      views = [];
      size = 0;
    };
    for (const record of partOf(records, share)) {
      const score = scores[run]!.get(record.id);
      const credit = credits[run]!.get(record.id);
      const view = { ...sessionView(record, score, pieces), ...(credit && { credit }) };
      sessions.push({
        ...indexed(record),
        r: run,
        c: number,
        ...(record.stage === "qa" && { score: headlineScore(score, runs[run]!.headline) }),
        ...(credit && { R: credit.R, A: credit.A }),
        block: `s${number}-${blocks.length}`,
        at: views.length,
      });
      views.push(view);
      size += JSON.stringify(view).length;
      if (size > BLOCK_BYTES) flush();
    }
    flush();
  }
  const texts = `t${number}`;
  blocks.push([texts, compress({ chunks: chunkTexts(context, members, pieces), pieces: pieces.pieces })]);
  const { id, facets, chunks, questions } = context;
  return {
    context: { id, facets, chunks, questions, texts },
    sessions,
    blocks,
    bytes: blocks.reduce((sum, [, block]) => sum + block.length, 0),
  };
}

/** The beginning of the stream, of every trajectory alike, and the beginning of the questions in the order of the log. */
function partOf(records: readonly SessionRecord[], share: number): SessionRecord[] {
  const memory = records
    .filter(({ stage }) => stage === "memory")
    .sort((a, b) => a.position - b.position || a.trajectory - b.trajectory);
  const qa = records.filter(({ stage }) => stage === "qa");
  const first = <T>(items: readonly T[]) => items.slice(0, Math.floor(items.length * share));
  return [...first(memory), ...first(qa)];
}

function indexed(record: SessionRecord) {
  const { id, trajectory, stage, position, question, end, core } = record;
  const writes = record.calls.flatMap((call) => call.writes);
  const count = (op: "add" | "update" | "delete") => writes.filter((write) => write.op === op).length;
  const bad = record.calls.filter(({ verdict }) => verdict === "invalid" || verdict === "refused").length;
  return {
    id,
    t: trajectory,
    s: stage === "memory" ? ("m" as const) : ("q" as const),
    p: position,
    end,
    ...(question !== null && { q: question }),
    ...(stage === "memory" && !hasFailed(record) && { w: [count("add"), count("update"), count("delete")] as const }),
    ...(core && !core.committed && { kept: true as const }),
    ...(bad > 0 && { bad }),
  };
}

function headlineScore(score: RunLog["scores"][number] | undefined, headline: string | null): number | null {
  return (
    (headline !== null && score && Object.hasOwn(score.metrics, headline) ? score.metrics[headline] : null) ?? null
  );
}

/** Chunk texts as some session's prompt shows them; null where none does, or only cut. */
function chunkTexts(
  { chunks }: ContextLine,
  members: SharedContext["members"],
  { pack }: TextPieces,
): (PackedText | null)[] {
  const found = Array<PackedText | null>(chunks).fill(null);
  for (const { records } of members) {
    for (const { stage, position, truncated, messages } of records) {
      if (stage !== "memory" || truncated.focus > 0 || position >= chunks || found[position] !== null) continue;
      const prompt = messages.find(({ role }) => role === "user");
      const text = prompt ? readSection(prompt.text, "chunk") : null;
      if (text !== null) found[position] = pack(text);
    }
  }
  return found;
}

export const compress = (value: unknown) => gzipSync(JSON.stringify(value), { level: 6 }).toString("base64");
