/** Cutting a dated conversation into sessions: at each calendar day, or after a silence. */
import { instantOf } from "./dates.ts";
import type { Message, Session } from "./document.ts";

/**
 * Messages keep their order. One without a date stays in the session it stands in. By default a session ends where the
 * calendar day (as written, no zone conversion) changes; with `gapMinutes`, where two dated neighbours lie further apart.
 */
export function splitSessions(messages: readonly Message[], gapMinutes?: number): Session[] {
  const sessions: Message[][] = [];
  let last: string | null = null;
  for (const message of messages) {
    const breaks = last !== null && message.at !== null && isBreak(last, message.at, gapMinutes);
    if (sessions.length === 0 || breaks) sessions.push([]);
    sessions[sessions.length - 1]!.push(message);
    last = message.at ?? last;
  }
  return sessions;
}

function isBreak(before: string, after: string, gapMinutes: number | undefined): boolean {
  if (gapMinutes === undefined) return before.slice(0, 10) !== after.slice(0, 10);
  return Math.abs(instantOf(after) - instantOf(before)) > gapMinutes * 60_000;
}
