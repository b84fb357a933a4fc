/** What the bytes themselves say about their encoding, before any charset is tried. */
import { UmaError } from "../../base/errors.ts";
import { decodeExactly } from "./charsets.ts";

/** The encoding that a leading mark names; null without one. Throws `input` for UTF-32. */
export function byteOrderMark(bytes: Uint8Array): string | null {
  const [a, b, c, d] = bytes;
  if (a === 0xef && b === 0xbb && c === 0xbf) return "utf-8";
  const utf32 = (a === 0xff && b === 0xfe && c === 0 && d === 0) || (a === 0 && b === 0 && c === 0xfe && d === 0xff);
  if (utf32 && bytes.length % 4 === 0) {
    throw new UmaError("input", "the text is UTF-32, which cannot be read", { fix: "convert it to UTF-8 first" });
  }
  if (a === 0xff && b === 0xfe) return "utf-16le";
  return a === 0xfe && b === 0xff ? "utf-16be" : null;
}

/** UTF-16 without a mark: nearly every second byte is zero, and the decoded text holds no NUL. */
export function unmarkedUtf16(bytes: Uint8Array): "utf-16le" | "utf-16be" | null {
  if (bytes.length < 4 || bytes.length % 2 === 1) return null;
  const zeros = [0, 0];
  const length = Math.min(bytes.length, 65_536);
  for (let i = 0; i < length; i++) if (bytes[i] === 0) zeros[i % 2]!++;
  const [even, odd] = [zeros[0]! / (length / 2), zeros[1]! / (length / 2)];
  const encoding = odd > 0.4 && even === 0 ? "utf-16le" : even > 0.4 && odd === 0 ? "utf-16be" : null;
  return encoding !== null && decodeExactly(bytes, encoding) !== null ? encoding : null;
}

/** Seven-bit Japanese: pure ASCII to a UTF-8 decoder, told by its escape into JIS X 0208. */
export function isIso2022Jp(bytes: Uint8Array): boolean {
  if (bytes.indexOf(0x1b) === -1) return false;
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const enters = text.includes("\x1b$B") || text.includes("\x1b$@");
  const leaves = text.includes("\x1b(B") || text.includes("\x1b(J");
  return enters && leaves && decodeExactly(bytes, "iso-2022-jp") !== null;
}

/** More whole multi-byte sequences (also of surrogates, which UTF-8 forbids) than stray bytes: UTF-8 with damage. */
export function isDamagedUtf8(bytes: Uint8Array): boolean {
  let whole = 0;
  let stray = 0;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i]!;
    if (byte < 0x80) continue;
    const following =
      byte >= 0xf0 && byte < 0xf5 ? 3 : byte >= 0xe0 && byte < 0xf0 ? 2 : byte >= 0xc2 && byte < 0xe0 ? 1 : 0;
    let continued = 0;
    while (continued < following && (bytes[i + continued + 1] ?? 0) >> 6 === 0b10) continued++;
    if (following > 0 && continued === following) {
      whole++;
      i += following;
    } else stray++;
  }
  return whole > stray;
}

/** Share of the bytes that are NUL. */
export function nulShare(bytes: Uint8Array): number {
  if (bytes.indexOf(0) === -1) return 0;
  let zeros = 0;
  for (const byte of bytes) if (byte === 0) zeros++;
  return zeros / bytes.length;
}
