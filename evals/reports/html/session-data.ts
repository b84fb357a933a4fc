/**
 * The sessions that a page carries: an index, and blocks of sessions and texts that it unpacks when they are looked at.
 *
 * Contexts go in whole, for all runs together, until the room is used up; the last one that fits only in part keeps the
 * beginning of its stream and of its questions. What was left out is counted, never dropped unsaid.
 */
import { gzipSync } from "node:zlib";
import type { SessionRecord } from "../../../nodes/session/record.ts";
import { readSection } from "../../../policies/prompt-sections.ts";
import type { ContextLine } from "../../run-folder.ts";
import type { RunLog } from "../read-run.ts";
import { hasFailed } from "../summary/session-outcomes.ts";
import { type SessionView, sessionView } from "./session-view.ts";
import { type PackedText, type TextPieces, textPieces } from "./text-pieces.ts";

export interface SessionLimit {
  /** Sessions to carry at most, over all runs. */
  readonly sessions?: number;
  /** Bytes that they may take in the page. */
  readonly bytes?: number;
  /** Only these contexts, by id. */
  readonly contexts?: readonly string[];
}

/** Keeps the whole page under 30 MB. */
export const defaultSessionLimit = { sessions: 20_000, bytes: 24_000_000 } as const;

export interface SessionData {
  /** Block name → base64 of gzipped JSON. "index" is a `SessionIndex`. */
  readonly blocks: ReadonlyMap<string, string>;
  readonly embedded: number;
  readonly total: number;
}

/** One line of the index; short names, since there are thousands. */
interface IndexedSession {
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
  readonly block: string;
  readonly at: number;
}

interface IndexedContext {
  readonly id: string;
  readonly facets: ContextLine["facets"];
  readonly chunks: number;
  readonly questions: ContextLine["questions"];
  /** Block of `{ pieces, chunks }`: shared texts, and chunk texts where a session's prompt had them whole. */
  readonly texts: string;
}

interface Unit {
  readonly context: ContextLine;
  readonly members: readonly { readonly run: number; readonly records: readonly SessionRecord[] }[];
}

const BLOCK_BYTES = 400_000;

export function sessionData(
  runs: readonly { readonly log: RunLog; readonly label: string; readonly headline: string | null }[],
  limit: SessionLimit = {},
): SessionData {
  const { sessions: mostSessions = defaultSessionLimit.sessions, bytes: mostBytes = defaultSessionLimit.bytes } = limit;
  const scores = runs.map(({ log }) => new Map(log.scores.map((score) => [score.session, score])));
  const units = unitsOf(runs.map(({ log }) => log)).filter(
    ({ context }) => limit.contexts === undefined || limit.contexts.includes(context.id),
  );
  const total = runs.reduce((sum, { log }) => sum + log.records.length, 0);

  const blocks = new Map<string, string>();
  const contexts: IndexedContext[] = [];
  const sessions: IndexedSession[] = [];
  let bytes = 0;
  for (const unit of units) {
    const all = unit.members.reduce((sum, { records }) => sum + records.length, 0);
    let packed: PackedUnit | null = null;
    for (let share = Math.min(1, (mostSessions - sessions.length) / all); all > 0 && share * all >= 1; share /= 2) {
      const part = packUnit(unit, { share, number: contexts.length, runs, scores });
      if (bytes + part.bytes > mostBytes) continue;
      packed = part;
      break;
    }
    if (packed === null) break;
    for (const [name, block] of packed.blocks) blocks.set(name, block);
    bytes += packed.bytes;
    contexts.push(packed.context);
    for (const session of packed.sessions) sessions.push(session);
    if (packed.sessions.length < all) break;
  }
  const index = {
    runs: runs.map(({ log, label, headline }) => ({
      label,
      headline,
      scripted: log.config.policy.scripted,
      benchmark: log.config.benchmark.name,
    })),
    contexts,
    sessions,
    total,
  };
  blocks.set("index", compress(index));
  return { blocks, embedded: sessions.length, total };
}

/** Contexts with the sessions that every run has of them; equal content, not just an equal name, makes them one. */
function unitsOf(logs: readonly RunLog[]): Unit[] {
  const units = new Map<string, { context: ContextLine; members: { run: number; records: SessionRecord[] }[] }>();
  const most = Math.max(0, ...logs.map(({ contexts }) => contexts.length));
  const recordsOf = logs.map(({ records }) => {
    const byContext = new Map<string, SessionRecord[]>();
    for (const record of records) {
      const held = byContext.get(record.context);
      if (held) held.push(record);
      else byContext.set(record.context, [record]);
    }
    return byContext;
  });
  // first contexts first, so that a page with too little room has some of every run
  for (let i = 0; i < most; i++) {
    logs.forEach(({ contexts }, run) => {
      const context = contexts[i];
      if (!context) return;
      const key = `${context.id}#${context.hash}`;
      const unit = units.get(key) ?? { context, members: [] };
      unit.members.push({ run, records: recordsOf[run]!.get(context.id) ?? [] });
      units.set(key, unit);
    });
  }
  return [...units.values()];
}

interface PackedUnit {
  readonly context: IndexedContext;
  readonly sessions: readonly IndexedSession[];
  readonly blocks: readonly (readonly [string, string])[];
  readonly bytes: number;
}

function packUnit(
  { context, members }: Unit,
  options: {
    share: number;
    number: number;
    runs: Parameters<typeof sessionData>[0];
    scores: readonly ReadonlyMap<string, RunLog["scores"][number]>[];
  },
): PackedUnit {
  const { share, number, runs, scores } = options;
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
      const view = sessionView(record, score, pieces);
      sessions.push({
        ...indexed(record),
        r: run,
        c: number,
        ...(record.stage === "qa" && { score: headlineScore(score, runs[run]!.headline) }),
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

/** The beginning of the stream and the beginning of the questions, in the order of the stream and of the log. */
function partOf(records: readonly SessionRecord[], share: number): SessionRecord[] {
  const memory = records
    .filter(({ stage }) => stage === "memory")
    .sort((a, b) => a.trajectory - b.trajectory || a.position - b.position);
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
function chunkTexts({ chunks }: ContextLine, members: Unit["members"], { pack }: TextPieces): (PackedText | null)[] {
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

const compress = (value: unknown) => gzipSync(JSON.stringify(value), { level: 6 }).toString("base64");
