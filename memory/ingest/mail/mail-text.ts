/** The readable text of a MIME tree: plain text first, HTML stripped when there is nothing else, attachments by name. */
import { UmaError } from "../../../base/errors.ts";
import { charsetName } from "../charsets.ts";
import { type DecodedText, type DecodeOptions, decodeText } from "../decode.ts";
import { decodeHeaderWords } from "./header-words.ts";
import { htmlText } from "./html-text.ts";
import { type Entity, headerOf, parseEntity, parseHeaderValue, splitParts } from "./mime.ts";
import { decodeTransfer } from "./transfer-encoding.ts";

export interface MailText {
  readonly text: string;
  /** Mails forwarded as attachments. */
  readonly forwarded: readonly Entity[];
  readonly encodings: readonly string[];
  readonly notes: readonly string[];
}

/** Deeper trees are only named: each level scans its body again. */
const deepest = 20;

export function mailText(entity: Entity, options: DecodeOptions, depth = 0): MailText {
  const type = parseHeaderValue(headerOf(entity, "content-type") ?? "text/plain");
  const disposition = parseHeaderValue(headerOf(entity, "content-disposition"));
  const fileName = disposition.params.get("filename") ?? type.params.get("name");
  if (disposition.value === "attachment" || (fileName !== undefined && !type.value.startsWith("multipart/"))) {
    return named(`[attachment: ${decodeHeaderWords(fileName ?? type.value)}]`);
  }
  if (type.value.startsWith("multipart/")) {
    const boundary = type.params.get("boundary");
    if (boundary !== undefined && boundary !== "" && depth < deepest) {
      const parts = splitParts(entity.body, boundary).map(parseEntity);
      return joinParts(type.value === "multipart/alternative" ? [bestAlternative(parts)] : parts, options, depth + 1);
    }
    return depth < deepest
      ? leafText(entity, "text/plain", type.params.get("charset"), options)
      : named("[nested too deeply]");
  }
  if (type.value === "message/rfc822" && depth < deepest) {
    const forwarded = parseEntity(entity.body);
    const isMail = forwarded.headers.length > 0;
    return {
      text: isMail ? "[forwarded mail below]" : "",
      forwarded: isMail ? [forwarded] : [],
      encodings: [],
      notes: [],
    };
  }
  if (type.value.startsWith("text/") || type.value === "")
    return leafText(entity, type.value, type.params.get("charset"), options);
  return named(`[attachment: ${type.value}]`);
}

function joinParts(parts: readonly Entity[], options: DecodeOptions, depth: number): MailText {
  const read = parts.map((part) => mailText(part, options, depth));
  return {
    text: read
      .map(({ text }) => text.trim())
      .filter((text) => text !== "")
      .join("\n\n"),
    forwarded: read.flatMap(({ forwarded }) => forwarded),
    encodings: read.flatMap(({ encodings }) => encodings),
    notes: read.flatMap(({ notes }) => notes),
  };
}

/** Alternatives go from plain to rich: plain text if it says anything, else the last one, which may be a multipart. */
function bestAlternative(parts: readonly Entity[]): Entity {
  const plain = parts.find((part) => {
    const type = parseHeaderValue(headerOf(part, "content-type") ?? "text/plain").value;
    return type === "text/plain" && part.body.trim() !== "";
  });
  return plain ?? parts[parts.length - 1] ?? { headers: [], body: "" };
}

function leafText(entity: Entity, type: string, declared: string | undefined, options: DecodeOptions): MailText {
  const transfer = (headerOf(entity, "content-transfer-encoding") ?? "").trim().toLowerCase();
  const { text, encoding, notes } = decodeBody(decodeTransfer(entity.body, transfer), declared, options);
  return { text: type === "text/html" ? htmlText(text) : text, forwarded: [], encodings: [encoding], notes };
}

/** The declared charset if it exists and fits, else detection: many mails declare none, or the wrong one. */
function decodeBody(bytes: Uint8Array, declared: string | undefined, options: DecodeOptions): DecodedText {
  const charset = options.encoding === undefined && declared !== undefined ? charsetName(declared) : null;
  const isAscii = bytes.every((byte) => byte < 0x80);
  // us-ascii is windows-1252 to a decoder: of no use for 8-bit text, not needed for ASCII
  const declaresLess = isAscii ? charset === "windows-1252" : declared?.toLowerCase() === "us-ascii";
  if (charset !== null && !declaresLess) {
    try {
      return decodeText(bytes, { encoding: charset });
    } catch (error) {
      if (!(error instanceof UmaError)) throw error;
    }
  }
  try {
    return decodeText(bytes, options);
  } catch (error) {
    if (!(error instanceof UmaError)) throw error;
    const said = declared === undefined ? "declares no charset" : `declares ${declared}`;
    throw new UmaError(error.code, `a text part that ${said} cannot be decoded: ${error.message}`, {
      fix: error.fix,
      cause: error,
    });
  }
}

const named = (text: string): MailText => ({ text, forwarded: [], encodings: [], notes: [] });
