/**
 * Bytes → text, once per file: byte order mark, UTF-16 by its zero bytes, strict UTF-8, then a legacy charset if one is certain.
 *
 * What cannot be decoded is an error that names the byte and its offset; with `lossy` it becomes U+FFFD and is counted.
 * Line ends, NUL and control characters pass through untouched; only a leading byte order mark is taken off.
 */
import { isUtf8 } from "node:buffer";
import { UmaError } from "../../base/errors.ts";
import { charsetName, decodeExactly, decodeLossily, firstUndecodable } from "./charsets.ts";
import { detectCharset } from "./detect-charset.ts";
import { byteOrderMark, isDamagedUtf8, isIso2022Jp, nulShare, unmarkedUtf16 } from "./encoding-signs.ts";

export interface DecodedText {
  readonly text: string;
  /** WHATWG name. */
  readonly encoding: string;
  readonly notes: readonly string[];
}

export interface DecodeOptions {
  readonly lossy?: boolean;
  /** A WHATWG label; skips detection. */
  readonly encoding?: string;
}

/** Throws `input` for bytes that cannot be decoded, `config` for an encoding that does not exist. */
export function decodeText(bytes: Uint8Array, options: DecodeOptions = {}): DecodedText {
  if (options.encoding !== undefined) return decodeAs(bytes, options.encoding, options.lossy ?? false);
  const marked = byteOrderMark(bytes);
  if (marked !== null) return decodeAs(bytes, marked, options.lossy ?? false);
  const wide = unmarkedUtf16(bytes);
  if (wide !== null) return decodeAs(bytes, wide, options.lossy ?? false);
  const utf8 = isUtf8(bytes);
  const nul = nulShare(bytes);
  if (nul > (utf8 ? mostNul : 0)) {
    throw new UmaError("input", `binary data, not text (${(100 * nul).toPrecision(2)} % of its bytes are NUL)`, {
      fix: "leave it out, or name its encoding with --encoding when it is text",
    });
  }
  if (utf8) return decodeAs(bytes, isIso2022Jp(bytes) ? "iso-2022-jp" : "utf-8", false);
  return decodeLegacy(bytes, options.lossy ?? false);
}

/** In UTF-8 a few NUL are characters like any other; above this share, and in any legacy charset, they are not. */
const mostNul = 0.3;

function decodeLegacy(bytes: Uint8Array, lossy: boolean): DecodedText {
  const damaged = isDamagedUtf8(bytes);
  const detected = damaged ? { charset: null, candidates: [] } : detectCharset(bytes);
  const text = detected.charset === null ? null : decodeExactly(bytes, detected.charset);
  // the sample fitted; a C1 control elsewhere shows that the whole does not
  if (detected.charset !== null && text !== null && !/[\u0080-\u009f]/.test(text)) {
    return {
      text,
      encoding: detected.charset,
      notes: [`not UTF-8: read as ${detected.charset}, which its words and letters fit`],
    };
  }
  if (lossy) return decodeAs(bytes, "utf-8", true);
  const why = damaged
    ? "although the rest is; the file looks damaged"
    : `and the encoding is not certain${listed(detected.candidates)}`;
  throw new UmaError("input", `${byteAt(bytes, firstUndecodable(bytes, "utf-8"))} is not UTF-8, ${why}`, {
    fix: "name the encoding with --encoding, or replace such bytes by U+FFFD with --lossy",
  });
}

function decodeAs(bytes: Uint8Array, label: string, lossy: boolean): DecodedText {
  const encoding = charsetName(label === "utf-16" ? (byteOrderMark(bytes) ?? label) : label);
  if (encoding === null) {
    throw new UmaError("config", `"${label}" is not an encoding that can be read`, {
      fix: "use a WHATWG name such as utf-8, utf-16le, windows-1252, shift_jis or gb18030",
    });
  }
  const strict = decodeExactly(bytes, encoding);
  if (strict !== null) return withoutMark(strict, encoding, []);
  if (lossy) {
    const text = decodeLossily(bytes, encoding);
    const count = countReplaced(text) - (encoding === "utf-8" ? countWritten(bytes) : 0);
    return withoutMark(text, encoding, [`${grouped(count)} undecodable byte sequence(s) became U+FFFD`]);
  }
  throw new UmaError("input", `${byteAt(bytes, firstUndecodable(bytes, encoding))} is not ${encoding}`, {
    fix: "name another encoding with --encoding, or replace such bytes by U+FFFD with --lossy",
  });
}

function withoutMark(text: string, encoding: string, notes: readonly string[]): DecodedText {
  return text.startsWith("\ufeff") && encoding.startsWith("utf-")
    ? { text: text.slice(1), encoding, notes: [...notes, "the byte order mark was taken off"] }
    : { text, encoding, notes };
}

const grouped = (count: number): string => count.toLocaleString("en-US");

function byteAt(bytes: Uint8Array, offset: number): string {
  const byte = (bytes[offset] ?? 0).toString(16).toUpperCase().padStart(2, "0");
  return `byte 0x${byte} at offset ${grouped(offset)}`;
}

const listed = (candidates: readonly string[]): string =>
  candidates.length === 0 ? "" : ` (it may be ${candidates.join(", ")})`;

const countReplaced = (text: string): number => text.split("\ufffd").length - 1;

/** U+FFFD that the input really holds. */
function countWritten(bytes: Uint8Array): number {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  let count = 0;
  for (let at = buffer.indexOf("\ufffd"); at !== -1; at = buffer.indexOf("\ufffd", at + 3)) count++;
  return count;
}
