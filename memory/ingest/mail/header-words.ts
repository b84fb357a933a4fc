/** Encoded words in mail headers (RFC 2047): `=?iso-8859-1?Q?Last=DFlName?=` → `LastßlName`. */
import { charsetName, decodeLossily } from "../charsets.ts";
import { decodeHex } from "./transfer-encoding.ts";

const encodedWord = /=\?([^?\s*]{1,40})(?:\*[^?\s]{0,20})?\?([BbQq])\?([^?]{0,2000})\?=/g;

/**
 * Decodes every word it can; one in an unknown charset stays as written. Neighbouring words of one charset are joined as
 * bytes first, because senders cut inside characters.
 */
export function decodeHeaderWords(value: string): string {
  let out = "";
  let end = 0;
  let pending: { charset: string; bytes: Buffer } | null = null;
  const flush = () => {
    if (pending !== null) out += decodeLossily(pending.bytes, pending.charset);
    pending = null;
  };
  for (const found of value.matchAll(encodedWord)) {
    const between = value.slice(end, found.index);
    const charset = charsetName(found[1]!);
    const bytes = charset === null ? null : wordBytes(found[2]!, found[3]!);
    const joins: boolean = pending !== null && between.trim() === "";
    if (!joins) {
      flush();
      out += between;
    }
    if (charset === null || bytes === null) {
      flush();
      out += `${joins ? between : ""}${found[0]}`;
    } else {
      const held = pending as { charset: string; bytes: Buffer } | null;
      if (held !== null && held.charset === charset) pending = { charset, bytes: Buffer.concat([held.bytes, bytes]) };
      else {
        flush();
        pending = { charset, bytes };
      }
    }
    end = found.index + found[0].length;
  }
  flush();
  return out + value.slice(end);
}

function wordBytes(encoding: string, text: string): Buffer {
  return encoding.toLowerCase() === "b"
    ? Buffer.from(text, "base64")
    : Buffer.from(decodeHex(text.replaceAll("_", " ")), "latin1");
}
