/**
 * Chat logs, line by line: WhatsApp exports (all date orders, bracketed or with a dash, 12 or 24 hours), Signal, our own
 * rendering, `[any date] Name: text`. A line that opens no message continues the one before it.
 *
 * Dated messages are rendered with an ISO date; their sessions are calendar days. Which of day and month comes first is
 * decided once per file, by all its dates together.
 */
import { resolveDateOrder } from "../date-order.ts";
import type { Message, ReadContext, Reading } from "../document.ts";
import { isBlank, splitLines, withoutEnd } from "../lines.ts";
import { renderMessage } from "../render.ts";
import { splitSessions } from "../sessions.ts";
import { headerDate, parseHeader } from "./chat-header.ts";
import { isLogLevel, splitSpeaker } from "./speaker.ts";

export function readChat(text: string, context: ReadContext): Reading | null {
  const lines = splitLines(text).map(withoutEnd);
  const headers = lines.map(parseHeader);
  const { order, note } = resolveDateOrder(
    headers.flatMap((header) => header?.date ?? []),
    context.dateOrder,
  );
  const openings = headers.map((header): Opening | null => {
    // a line whose date does not exist in this file's order opens no message
    const at = header === null ? null : headerDate(header, order);
    return header === null || at === null ? null : { at, ...splitSpeaker(header.rest) };
  });
  if (!isChat(lines, openings)) return null;

  const messages: { at: string | null; speaker: string | null; lines: string[] }[] = [];
  for (const [index, line] of lines.entries()) {
    const opening = openings[index]!;
    const last = messages[messages.length - 1];
    if (opening !== null) messages.push({ at: opening.at, speaker: opening.speaker, lines: [opening.text] });
    else if (last === undefined) messages.push({ at: null, speaker: null, lines: [line] });
    else last.lines.push(line);
  }
  const rendered: Message[] = messages
    .map(({ at, speaker, lines: said }) => ({ at, speaker, text: said.join("\n") }))
    .filter(({ at, text: said }) => at !== null || !isBlank(said))
    .map(renderMessage);
  return {
    kind: "chat",
    sessions: splitSessions(rendered, context.sessionGapMinutes),
    notes: note === null ? [] : [note],
  };
}

interface Opening {
  readonly at: string;
  readonly speaker: string | null;
  readonly text: string;
}

/** Opens with a message (or has many), and a fair part of the messages has a speaker that is no log level. */
function isChat(lines: readonly string[], openings: readonly (Opening | null)[]): boolean {
  const opened = openings.filter((opening) => opening !== null);
  const filled = lines.filter((line) => !isBlank(line)).length;
  const opensWith = openings[lines.findIndex((line) => !isBlank(line))] != null;
  if (opened.length === 0 || !(opensWith || (opened.length >= 3 && opened.length * 3 >= filled))) return false;
  const speakers = opened.flatMap(({ speaker }) => speaker ?? []);
  const levels = speakers.filter(isLogLevel).length;
  return speakers.length * 10 >= opened.length * 3 && levels * 2 < Math.max(speakers.length, 1);
}
