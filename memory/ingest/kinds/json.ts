/**
 * JSON and JSONL. Conversations become messages: dated ones are cut into sessions by day, undated ones are a session each.
 * JSON without messages is laid out one value a line; JSONL without messages stays as it is, a line per message.
 */
import type { Message, ReadContext, Reading, Session } from "../document.ts";
import { type Conversation, findConversations } from "../json/conversations.ts";
import { indentJson } from "../json/indent-json.ts";
import { nestsTooDeeply } from "../json/json-depth.ts";
import { timeMessages } from "../json/message-times.ts";
import { isBlank, splitLines, splitParagraphs } from "../lines.ts";
import { oneLine, renderMessage } from "../render.ts";
import { splitSessions } from "../sessions.ts";

interface Parsed {
  /** Null when it nests too deeply to be searched. */
  readonly value: unknown;
  /** JSONL: the lines as they are. */
  readonly lines: readonly string[] | null;
  readonly notes: readonly string[];
}

export function readJson(text: string, context: ReadContext): Reading | null {
  const parsed = parseWhole(text) ?? parseLines(text);
  if (parsed === null) return null;
  const messages = context.kind === "json" ? null : readMessages(parsed, context);
  if (messages !== null) return messages;
  const pieces = parsed.lines ?? splitParagraphs(splitLines(indentJson(text)));
  const session: Session = pieces.map((piece) => ({ text: piece, speaker: null, at: null }));
  return { kind: "json", sessions: session.length === 0 ? [] : [session], notes: parsed.notes };
}

function readMessages(parsed: Parsed, context: ReadContext): Reading | null {
  const { conversations, leftOut } = findConversations(parsed.value, context.people);
  if (conversations.length === 0) return null;
  const notes = new Set(parsed.notes);
  const sessions = conversations.flatMap((conversation) => conversationSessions(conversation, context, notes));
  if (leftOut.length > 0) {
    const more = leftOut.length > 10 ? ` and ${leftOut.length - 10} more` : "";
    notes.add(`fields beside the messages were not read: ${leftOut.slice(0, 10).map(oneLine).join(", ")}${more}`);
  }
  return { kind: "messages", sessions, notes: [...notes] };
}

function conversationSessions(conversation: Conversation, context: ReadContext, notes: Set<string>): Session[] {
  const timed = timeMessages(conversation.messages, context.dateOrder);
  for (const note of timed.notes) notes.add(note);
  const rendered = timed.messages.map(({ speaker, at, text, time }) =>
    renderMessage({ speaker, at, text, dateText: time === null ? null : String(time) }),
  );
  const title = oneLine(conversation.title ?? "");
  const heading: Message[] = title === "" ? [] : [{ text: `Conversation: ${title}\n`, speaker: null, at: null }];
  return splitSessions([...heading, ...rendered], context.sessionGapMinutes);
}

function parseWhole(text: string): Parsed | null {
  if (!/^\s*[[{]/.test(text)) return null;
  try {
    const value: unknown = JSON.parse(text);
    return { value: nestsTooDeeply(text) ? null : value, lines: null, notes: [] };
  } catch {
    return null;
  }
}

/** One JSON object or list a line; a broken line stays as text as long as most lines are whole. */
function parseLines(text: string): Parsed | null {
  if (!/^\s*[[{]/.test(text)) return null;
  const lines = splitLines(text);
  if (lines.length < 2) return null;
  const values: unknown[] = [];
  let broken = 0;
  for (const line of lines) {
    if (isBlank(line)) continue;
    const parsed = parseWhole(line);
    if (parsed === null) broken++;
    values.push(parsed?.value ?? line.trimEnd());
  }
  if (broken * 2 >= values.length) return null;
  return { value: values, lines, notes: broken === 0 ? [] : [`${broken} line(s) are not JSON and were kept as text`] };
}
