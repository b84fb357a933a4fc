/** One file's bytes → a document. The content decides what it is; the extension only breaks ties. */

import { UmaError } from "../../base/errors.ts";
import { contentHash } from "../../base/hash.ts";
import { binaryFormat } from "./binary.ts";
import { decodeText } from "./decode.ts";
import { type Document, type DocumentKind, extensionOf, type ReadContext, type Reading } from "./document.ts";
import { looksLikeCalendar, readCalendar } from "./kinds/calendar.ts";
import { readChat } from "./kinds/chat.ts";
import { readJson } from "./kinds/json.ts";
import { readLog } from "./kinds/log.ts";
import { looksLikeMail, readMail } from "./kinds/mail.ts";
import { readMarkdown } from "./kinds/markdown.ts";
import { readText } from "./kinds/text.ts";
import { readTranscript } from "./kinds/transcript.ts";

type TextReader = (text: string, context: ReadContext) => Reading | null;

/** In the order in which they are asked. */
const textReaders: readonly { kinds: readonly DocumentKind[]; read: TextReader }[] = [
  { kinds: ["messages", "json"], read: readJson },
  { kinds: ["chat"], read: readChat },
  { kinds: ["log"], read: readLog },
  { kinds: ["markdown"], read: readMarkdown },
  { kinds: ["chat"], read: readTranscript },
  { kinds: ["text"], read: readText },
];

/** Throws `input` with a one-line reason for bytes that cannot be read as text, or not as the kind that was asked for. */
export function readDocument(bytes: Uint8Array, context: ReadContext): Document {
  const file = { name: context.name, bytes: bytes.length, hash: contentHash(bytes) };
  if (bytes.length === 0) {
    return { ...file, kind: context.kind ?? "text", sessions: [], encoding: "utf-8", notes: ["the file is empty"] };
  }
  const binary = context.encoding === undefined ? binaryFormat(bytes) : null;
  if (binary !== null) throw new UmaError("input", `${binary.name}, not text`, { fix: binary.fix });
  const reading = readBytes(bytes, context) ?? readDecoded(bytes, context);
  return { ...file, ...reading };
}

type EncodedReading = Reading & { readonly encoding: string };

/** Formats whose parts choose their own charset are read from the bytes. */
function readBytes(bytes: Uint8Array, context: ReadContext): EncodedReading | null {
  const wanted = context.kind;
  if (wanted === "mail" || (wanted === undefined && looksLikeMail(bytes))) return readMail(bytes, context);
  if (wanted === "calendar" || (wanted === undefined && looksLikeCalendar(bytes))) {
    const reading = readCalendar(bytes, context);
    if (reading === null && wanted === "calendar") throw notOfKind("calendar", "it holds no event");
    return reading;
  }
  return null;
}

function readDecoded(bytes: Uint8Array, context: ReadContext): EncodedReading {
  const { text, encoding, notes } = decodeText(bytes, context);
  const wanted = context.kind;
  for (const { kinds, read } of textReaders) {
    if (wanted !== undefined && !kinds.includes(wanted)) continue;
    const reading = read(text, context);
    if (reading === null || (wanted !== undefined && reading.kind !== wanted)) continue;
    return { ...reading, encoding, notes: [...notes, ...reading.notes, ...brokenJson(reading, context)] };
  }
  throw notOfKind(wanted ?? "text", "its content has another form");
}

const brokenJson = (reading: Reading, { name }: ReadContext): string[] =>
  reading.kind !== "json" && reading.kind !== "messages" && /^(?:json|jsonl|ndjson)$/.test(extensionOf(name))
    ? ["the file is not valid JSON; it was read as text"]
    : [];

function notOfKind(kind: DocumentKind, why: string): UmaError {
  return new UmaError("input", `not readable as ${kind}: ${why}`, {
    fix: "leave --kind out to let the content decide",
  });
}
