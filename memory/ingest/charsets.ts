/**
 * Bytes → text for every encoding of the WHATWG list, through Node's TextDecoder with its traps closed:
 * on Node 20 `windows-1252` leaves 0x80–0x9F as control characters and can lose a leading 0xFF, and ICU drops bytes of a
 * double-byte charset that it does not know (e.g. the Korean extension of windows-949) without an error.
 */
import { isUtf8 } from "node:buffer";

const doubleByte = new Set(["euc-kr", "euc-jp", "shift_jis", "big5", "gbk", "gb18030"]);
const controls = /[\u0080-\u009f]/;

// 0x80–0x9F of windows-1252; the five undefined bytes stay what they are, as WHATWG has it
const windows1252 =
  "\u20ac\u0081\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\u008d\u017d\u008f\u0090\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\u009d\u017e\u0178";

/** The canonical name of a label (`latin1` → `windows-1252`), or null when Node cannot decode it. */
export function charsetName(label: string): string | null {
  try {
    return new TextDecoder(label.trim()).encoding;
  } catch {
    return null;
  }
}

/** The text, or null when some bytes have no meaning in this charset. `partial`: the bytes may stop inside a character. */
export function decodeExactly(bytes: Uint8Array, charset: string, options: { partial?: boolean } = {}): string | null {
  try {
    const decoder = new TextDecoder(charset, { fatal: true, ignoreBOM: true });
    if (decoder.encoding === "windows-1252") return decodeWindows1252(bytes);
    const text = decoder.decode(bytes, { stream: options.partial ?? false });
    return doubleByte.has(decoder.encoding) && controls.test(text) ? null : text;
  } catch {
    return null;
  }
}

/** The text with U+FFFD for what cannot be decoded. */
export function decodeLossily(bytes: Uint8Array, charset: string): string {
  const decoder = new TextDecoder(charset, { ignoreBOM: true });
  if (decoder.encoding === "windows-1252") return decodeWindows1252(bytes);
  const text = decoder.decode(bytes);
  return doubleByte.has(decoder.encoding) ? text.replace(/[\u0080-\u009f]/g, "\ufffd") : text;
}

/** Offset of the first byte that cannot be decoded; for a cut-off last character, the offset where it begins. */
export function firstUndecodable(bytes: Uint8Array, charset: string): number {
  const from = charset === "utf-8" ? validUtf8Prefix(bytes) : 0;
  return (
    from + firstUndecodableIn(bytes.subarray(from, charset === "utf-8" ? from + 2 * utf8Window : undefined), charset)
  );
}

const utf8Window = 1_048_576;

/** Length of a valid prefix in whole windows that end between characters, so that only the next window is searched. */
function validUtf8Prefix(bytes: Uint8Array): number {
  let valid = 0;
  for (;;) {
    let to = Math.min(valid + utf8Window, bytes.length);
    while (to > valid && (bytes[to] ?? 0) >> 6 === 0b10) to--;
    if (to === valid || !isUtf8(bytes.subarray(valid, to))) return valid;
    valid = to;
  }
}

function firstUndecodableIn(bytes: Uint8Array, charset: string): number {
  let good = 0;
  let bad = bytes.length + 1;
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    const isGood =
      middle <= bytes.length && decodeExactly(bytes.subarray(0, middle), charset, { partial: true }) !== null;
    if (isGood) good = middle;
    else bad = middle;
  }
  // good is the longest prefix that could still go on; step back over the unfinished character in it
  let at = Math.min(good, bytes.length - 1);
  while (at > 0 && good - at < 4 && decodeExactly(bytes.subarray(0, at), charset) === null) at--;
  return Math.max(at, 0);
}

function decodeWindows1252(bytes: Uint8Array): string {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1");
  return controls.test(text)
    ? text.replace(/[\u0080-\u009f]/g, (held) => windows1252[held.charCodeAt(0) - 0x80]!)
    : text;
}
