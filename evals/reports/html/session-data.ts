/**
 * The sessions that a page carries: an index, and blocks of sessions and texts that it unpacks when they are looked at.
 *
 * Contexts go in whole, for all runs together, until the room is used up; the last one that fits only in part keeps the
 * beginning of its stream and of its questions. What was left out is counted, never dropped unsaid.
 */
import { UmaError } from "../../../base/errors.ts";
import type { SessionRecord } from "../../../nodes/session/record.ts";
import type { CreditLog } from "../../credit-log.ts";
import type { ContextLine } from "../../run-folder.ts";
import type { RunLog } from "../read-run.ts";
import {
  type ContextPack,
  compress,
  type IndexedContext,
  type IndexedSession,
  type PageRun,
  packContext,
  type SharedContext,
} from "./context-pack.ts";
import { creditBySession } from "./session-credit.ts";

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
  /** Block name → base64 of gzipped JSON. "index" lists runs, contexts and sessions. */
  readonly blocks: ReadonlyMap<string, string>;
  readonly embedded: number;
  readonly total: number;
}

export function sessionData(runs: readonly PageRun[], limit: SessionLimit = {}): SessionData {
  const { sessions: mostSessions = defaultSessionLimit.sessions, bytes: mostBytes = defaultSessionLimit.bytes } = limit;
  const scores = runs.map(({ log }) => new Map(log.scores.map((score) => [score.session, score])));
  const credits = runs.map(({ log }) => creditBySession(log.credit));
  const units = chosen(unitsOf(runs.map(({ log }) => log)), limit.contexts);
  const total = runs.reduce((sum, { log }) => sum + log.records.length, 0);

  const blocks = new Map<string, string>();
  const contexts: IndexedContext[] = [];
  const sessions: IndexedSession[] = [];
  let bytes = 0;
  for (const unit of units) {
    const all = unit.members.reduce((sum, { records }) => sum + records.length, 0);
    if (all === 0) continue;
    let packed: ContextPack | null = null;
    for (let share = Math.min(1, (mostSessions - sessions.length) / all); share * all >= 1; share /= 2) {
      const part = packContext(unit, { share, number: contexts.length, runs, scores, credits });
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
      trajectories: log.config.rollout.G,
      credit: log.credit && creditName(log.credit),
    })),
    contexts,
    sessions,
    total,
  };
  blocks.set("index", compress(index));
  return { blocks, embedded: sessions.length, total };
}

/** How rewards and advantages were made, in a few words. */
function creditName({ options: { estimator, rewards } }: CreditLog): string {
  const { lambda, outcome } = rewards as { lambda?: { memory: number; qa: number }; outcome?: string };
  const each = lambda?.memory === lambda?.qa ? `${lambda?.qa}` : `${lambda?.memory} (memory), ${lambda?.qa} (QA)`;
  return `${estimator}, λ ${each}, outcome ${outcome}`;
}

/** Contexts with the sessions that every run has of them; equal content, not just an equal name, makes them one. */
function unitsOf(logs: readonly RunLog[]): SharedContext[] {
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

function chosen(units: readonly SharedContext[], ids: readonly string[] | undefined): readonly SharedContext[] {
  if (ids === undefined) return units;
  const known = new Set(units.map(({ context }) => context.id));
  const unknown = ids.find((id) => !known.has(id));
  if (unknown !== undefined) {
    throw new UmaError("config", `no run has a context named "${unknown}"`, {
      fix: `contexts: ${[...known].slice(0, 10).join(", ")}${known.size > 10 ? ", …" : ""}`,
    });
  }
  return units.filter(({ context }) => ids.includes(context.id));
}
