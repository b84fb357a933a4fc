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
import { type ChatHeader, headerDate, parseHeader } from "./chat-header.ts";
import { isLogLevel, splitSpeaker } from "./speaker.ts";

export function readChat(text: string, context: ReadContext): Reading | null {
  const lines = splitLines(text).map(withoutEnd);
  const headers = lines.map(parseHeader);
  const { order, note } = resolveDateOrder(
    headers.flatMap((header) => header?.date ?? []),
    context.dateOrder,
  );
  // a line whose date does not exist in this file's order opens no message
  const dated = headers.map((header) => (header === null ? null : headerDate(header, order)));
  if (!isChat(lines, headers, dated)) return null;

  const messages: { at: string | null; speaker: string | null; lines: string[] }[] = [];
  for (const [index, line] of lines.entries()) {
    const at = dated[index] ?? null;
    const last = messages[messages.length - 1];
    if (at !== null) {
      const { speaker, text: said } = splitSpeaker(headers[index]!.rest);
      messages.push({ at, speaker, lines: [said] });
    } else if (last === undefined) messages.push({ at: null, speaker: null, lines: [line] });
    else last.lines.push(line);
  }
  const rendered: Message[] = messages
    .map((message) => ({ ...message, text: message.lines.join("\n") }))
    .filter((message) => message.at !== null || !isBlank(message.text))
    .map(renderMessage);
  return {
    kind: "chat",
    sessions: splitSessions(rendered, context.sessionGapMinutes),
    notes: note === null ? [] : [note],
  };
}

/** Opens with a message (or has many), and a fair part of the messages has a speaker that is no log level. */
function isChat(
  lines: readonly string[],
  headers: readonly (ChatHeader | null)[],
  dated: readonly (string | null)[],
): boolean {
  const opened = headers.filter((header, index) => header !== null && dated[index] !== null) as ChatHeader[];
  const filled = lines.filter((line) => !isBlank(line)).length;
  const opensWith = dated[lines.findIndex((line) => !isBlank(line))] != null;
  if (opened.length === 0 || !(opensWith || (opened.length >= 3 && opened.length * 3 >= filled))) return false;
  const speakers = opened.flatMap((header) => splitSpeaker(header.rest).speaker ?? []);
  const levels = speakers.filter(isLogLevel).length;
  return speakers.length * 10 >= opened.length * 3 && levels * 2 < Math.max(speakers.length, 1);
}
