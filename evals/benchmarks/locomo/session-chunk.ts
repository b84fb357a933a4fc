/**
 * One LoCoMo session as one chunk: who talks, when, and one line per turn (UMA App. E.3, layout of its loader).
 *
 * The place of every turn's line is kept, so that evidence ids become offsets.
 */
import type { LocomoSession } from "./read-locomo.ts";

export interface SessionChunk {
  readonly text: string;
  /** Turn id → UTF-16 offsets of its line, newline excluded. */
  readonly lines: ReadonlyMap<string, { readonly start: number; readonly end: number }>;
}

export function sessionChunk(session: LocomoSession, speakers: readonly [string, string]): SessionChunk {
  let text = `Conversation between ${speakers[0]} and ${speakers[1]}\n\nDATE: ${session.date}\nCONVERSATION:\n`;
  const lines = new Map<string, { start: number; end: number }>();
  for (const turn of session.turns) {
    const shared = turn.caption === null ? "" : ` and shared ${oneLine(turn.caption)}`;
    const line = `${turn.speaker} said, "${oneLine(turn.text)}"${shared}`;
    lines.set(turn.id, { start: text.length, end: text.length + line.length });
    text += `${line}\n`;
  }
  return { text, lines };
}

/** A turn stays one line: retrieval cuts at line ends and must not part a turn from its speaker. */
const oneLine = (text: string): string => text.trim().replace(/\s*[\r\n]\s*/g, " ");
