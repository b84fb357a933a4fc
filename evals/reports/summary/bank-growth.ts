/** What each context's memory had become when its last chunk was read, folded from the writes of its sessions. */
import type { SessionRecord } from "../../../nodes/session/record.ts";
import { hasFailed } from "./session-outcomes.ts";

export interface BankGrowth {
  readonly context: string;
  readonly trajectory: number;
  /** Memory sessions that did not fail. */
  readonly chunks: number;
  readonly entries: number;
  /** UTF-16 units of all titles and contents. */
  readonly characters: number;
  readonly coreCharacters: number;
  readonly writes: { readonly add: number; readonly update: number; readonly delete: number };
}

/** One per context and trajectory that has memory sessions; none for variants that keep no bank. */
export function bankGrowth(records: readonly SessionRecord[]): BankGrowth[] {
  const trajectories = new Map<string, SessionRecord[]>();
  for (const record of records) {
    if (record.stage !== "memory") continue;
    const key = JSON.stringify([record.context, record.trajectory]);
    const held = trajectories.get(key);
    if (held) held.push(record);
    else trajectories.set(key, [record]);
  }
  return [...trajectories.values()].map((sessions) => grow(sessions.sort((a, b) => a.position - b.position)));
}

function grow(sessions: readonly SessionRecord[]): BankGrowth {
  const { context, trajectory } = sessions[0]!;
  const sizes = new Map<string, number>();
  const writes = { add: 0, update: 0, delete: 0 };
  const done = sessions.filter((session) => !hasFailed(session));
  for (const { entry, op, after } of done.flatMap(({ calls }) => calls.flatMap((call) => call.writes))) {
    writes[op]++;
    if (after) sizes.set(entry, after.title.length + after.content.length);
    else sizes.delete(entry);
  }
  return {
    context,
    trajectory,
    chunks: done.length,
    entries: sizes.size,
    characters: [...sizes.values()].reduce((sum, size) => sum + size, 0),
    coreCharacters: sessions.at(-1)!.core?.after.length ?? 0,
    writes,
  };
}
