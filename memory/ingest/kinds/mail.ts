/**
 * Mail: an .eml file gives one message per mail (forwarded mails follow it), an mbox one session per mail. Rendered as
 * `[date] sender: subject`, then the addresses and the text.
 */
import { calendarDate, clockTime, monthNumber, zone } from "../dates.ts";
import { decodeText } from "../decode.ts";
import type { Message, ReadContext, Reading } from "../document.ts";
import { decodeHeaderWords } from "../mail/header-words.ts";
import { mailText } from "../mail/mail-text.ts";
import { type Entity, headerOf, parseEntity } from "../mail/mime.ts";
import { renderMessage } from "../render.ts";

const mailHeaders =
  "from to cc subject date message-id received mime-version content-type return-path delivered-to reply-to dkim-signature x-mailer";
const known = new Set(mailHeaders.split(" "));
const proof = new Set(["from", "received", "message-id", "return-path", "delivered-to"]);
const mboxLine = /^From \S+ .*\d{4}/;

/** Opens with header lines of which at least two are a mail's own, one of them telling where it came from. */
export function looksLikeMail(bytes: Uint8Array): boolean {
  const head = binaryText(bytes.subarray(0, 65_536)).replace(/^\xef\xbb\xbf/, "");
  if (mboxLine.test(head.slice(0, 200))) return looksLikeHeaders(head.slice(head.indexOf("\n") + 1));
  return looksLikeHeaders(head);
}

function looksLikeHeaders(head: string): boolean {
  const names = parseEntity(head).headers.map(([name]) => name);
  const first = names.slice(0, 4).some((name) => known.has(name));
  return first && new Set(names.filter((name) => known.has(name))).size >= 2 && names.some((name) => proof.has(name));
}

export function readMail(bytes: Uint8Array, context: ReadContext): Reading & { encoding: string } {
  const mails = splitMbox(binaryText(bytes).replace(/^\xef\xbb\xbf/, "")).map(parseEntity);
  const encodings = new Set<string>();
  const notes = new Set<string>();
  const messagesOf = (mail: Entity, depth: number): Message[] => {
    const read = mailText(mail, context);
    for (const encoding of read.encodings) encodings.add(encoding);
    for (const note of read.notes) notes.add(note);
    const forwarded = depth < 10 ? read.forwarded.flatMap((inner) => messagesOf(inner, depth + 1)) : [];
    return [mailMessage(mail, read.text, context), ...forwarded];
  };
  const sessions = mails.map((mail) => messagesOf(mail, 0));
  return { kind: "mail", sessions, encoding: [...encodings].join(", ") || "utf-8", notes: [...notes] };
}

function mailMessage(mail: Entity, body: string, context: ReadContext): Message {
  const shown = (name: string) => decodeHeaderWords(headerText(headerOf(mail, name) ?? "", context)).trim();
  const date = headerOf(mail, "date") ?? "";
  const details = (["From", "To", "Cc", "Date"] as const).flatMap((label) => {
    const value = label === "Date" ? date : shown(label.toLowerCase());
    return value === "" ? [] : [`${label}: ${value}`];
  });
  const text = body.replaceAll("\r\n", "\n").trim();
  return renderMessage({
    speaker: senderName(headerOf(mail, "from") ?? "", context),
    at: mailDate(date),
    dateText: date,
    text: [shown("subject") || "(no subject)", ...details, ...(text === "" ? [] : ["", text])].join("\n"),
  });
}

/** The display name, else the address. Split before encoded words are decoded, since those may hold commas. */
function senderName(from: string, context: ReadContext): string | null {
  const found = /^([^<]*)<([^<>]*)>/.exec(from);
  const name = (found?.[1] ?? "").trim().replace(/^"(.*)"$/s, "$1");
  const written = name === "" ? (found?.[2] ?? from) : name;
  return decodeHeaderWords(headerText(written, context)).trim() || null;
}

/** Headers should be ASCII; those that are not are mostly raw UTF-8. */
function headerText(value: string, context: ReadContext): string {
  if (!/[\x80-\xff]/.test(value)) return value;
  try {
    return decodeText(Buffer.from(value, "latin1"), { ...context, lossy: true }).text;
  } catch {
    return value;
  }
}

/** `Wed, 23 Jul 2003 23:30:00 +0200` → `2003-07-23T23:30:00+02:00`. */
function mailDate(text: string): string | null {
  const pattern =
    /^(?:[A-Za-z]{3},?\s+)?(\d{1,2})\s+([A-Za-z]{3,9})\s+(\d{2,4})\s+(\d{1,2}):(\d{2})(?::(\d{2}))?(?:\s+([+-]\d{4}|[A-Z]{1,5}))?/;
  const found = pattern.exec(text.trim());
  if (!found) return null;
  const date = calendarDate(found[3]!, monthNumber(found[2]!) ?? 0, found[1]!);
  const time = clockTime(found[4]!, found[5]!, found[6]);
  return date === null || time === null ? date : `${date}T${time}${zone(found[7])}`;
}

/** Mails of an mbox start with a `From ` line after an empty one; anything else is one mail. */
function splitMbox(raw: string): string[] {
  if (!mboxLine.test(raw.slice(0, 200))) return [raw];
  const starts = [0];
  for (let at = raw.indexOf("\nFrom "); at !== -1; at = raw.indexOf("\nFrom ", at + 1)) {
    const afterBlank = /\n\r?$/.test(raw.slice(Math.max(0, at - 2), at));
    if (afterBlank && mboxLine.test(raw.slice(at + 1, at + 200))) starts.push(at + 1);
  }
  return starts.map((start, index) => raw.slice(raw.indexOf("\n", start) + 1, starts[index + 1]));
}

const binaryText = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1");
