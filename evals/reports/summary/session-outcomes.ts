/** How the sessions of a stage ended, what failed, and which cores the guard kept. */
import type { SessionEnd, SessionError, SessionRecord } from "../../../nodes/session/record.ts";

export interface SessionOutcomes {
  readonly sessions: number;
  readonly ends: Readonly<Record<SessionEnd, number>>;
  readonly errors: readonly {
    readonly boundary: SessionError["boundary"];
    readonly code: string;
    readonly count: number;
    /** The first of them, in full. */
    readonly message: string;
  }[];
}

export function sessionOutcomes(records: readonly SessionRecord[]): SessionOutcomes {
  const ends = { text: 0, budget: 0, turns: 0, error: 0, cancelled: 0 };
  const errors = new Map<string, SessionOutcomes["errors"][number]>();
  for (const { end, error } of records) {
    ends[end]++;
    if (!error) continue;
    const key = `${error.boundary} ${error.code}`;
    errors.set(key, {
      ...error,
      message: errors.get(key)?.message ?? error.message,
      count: (errors.get(key)?.count ?? 0) + 1,
    });
  }
  return { sessions: records.length, ends, errors: [...errors.values()].sort((a, b) => b.count - a.count) };
}

/** Guarded commits: how often the new core was refused and the old one stayed (decisions §5, rule 1). */
export interface CoreCommits {
  readonly committed: number;
  readonly kept: readonly { readonly reason: string; readonly count: number; readonly sessions: readonly string[] }[];
}

export function coreCommits(records: readonly SessionRecord[]): CoreCommits | null {
  const cores = records.flatMap(({ id, core }) => (core ? [{ id, ...core }] : []));
  if (cores.length === 0) return null;
  const kept = new Map<string, string[]>();
  for (const { id, committed, kept: reason } of cores) {
    if (committed) continue;
    const why = reason ?? "no reason was recorded";
    const held = kept.get(why);
    if (held) held.push(id);
    else kept.set(why, [id]);
  }
  return {
    committed: cores.filter(({ committed }) => committed).length,
    kept: [...kept]
      .map(([reason, sessions]) => ({ reason, count: sessions.length, sessions }))
      .sort((a, b) => b.count - a.count),
  };
}

/** A session that failed changes nothing: its writes are on the record, not in the memory. */
export const hasFailed = ({ end }: Pick<SessionRecord, "end">) => end === "error" || end === "cancelled";
