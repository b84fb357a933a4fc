/**
 * Data that a chat template may print but that cannot become a special token on the way.
 *
 * A mark is put behind every character with which a special token begins, so no special token is left in the data, nor one
 * that begins in the data and ends in the template's own text. What the template prints is searched for special tokens
 * with the marks in it, and read without them. The marks are two of Unicode's noncharacters, which no text exchanged
 * between programs holds; where one does, U+FFFD stands for it.
 */
import type { SpecialToken } from "./text-tokenizer.ts";

/** Behind each character that might begin a special token. */
const MARK = "\uFDD0";
/** Stands for a reply whose end is looked for in what a template prints. */
export const REPLY_MARK = "\uFDD1";

export interface DataGuard {
  /** Strings anywhere inside a JSON value, keys as well. */
  guard<T>(value: T): T;
  /** The same for what the model itself wrote: its own tags stay tokens, control tokens do not. */
  guardReply(text: string): string;
  /** What was printed, cut at the special tokens that the template itself wrote. */
  pieces(printed: string): Piece[];
  /** What was printed, as text. */
  plain(printed: string): string;
}

export type Piece =
  | { readonly special: number; readonly text: string }
  | { readonly special: null; readonly text: string };

/** Tags of the calls that models write; some tokenizers count them among the control tokens. */
const CALL_TAGS: readonly string[] = ["<tool_call>", "</tool_call>"];

export function dataGuard(specials: ReadonlyMap<string, SpecialToken>): DataGuard {
  const names = [...specials.keys()].sort((a, b) => b.length - a.length);
  const beginnings = [...new Set(names.map((name) => String.fromCodePoint(name.codePointAt(0)!)))];
  const begins = beginnings.length === 0 ? null : new RegExp(anyOf(beginnings), "gu");
  const found = names.length === 0 ? null : new RegExp(`(${anyOf(names)})`, "u");
  const own = names.filter((name) => CALL_TAGS.includes(name) || !specials.get(name)!.control);
  const ownTag = own.length === 0 ? null : new RegExp(`(${anyOf(own)})`, "u");

  const guardText = (text: string): string => {
    const clean = text.toWellFormed().replace(/[\uFDD0\uFDD1]/g, "\uFFFD");
    return begins ? clean.replace(begins, `$&${MARK}`) : clean;
  };
  const guard = (value: unknown): unknown => {
    if (typeof value === "string") return guardText(value);
    if (Array.isArray(value)) return value.map(guard);
    if (value === null || typeof value !== "object") return value;
    return Object.fromEntries(Object.entries(value).map(([key, held]) => [guardText(key), guard(held)]));
  };
  const plain = (printed: string) => printed.replaceAll(MARK, "");

  return {
    guard: <T>(value: T) => guard(value) as T,
    guardReply: (text) =>
      ownTag === null
        ? guardText(text)
        : text
            .split(ownTag)
            .map((piece, k) => (k % 2 === 1 ? piece : guardText(piece)))
            .join(""),
    pieces: (printed) =>
      (found === null ? [printed] : printed.split(found))
        .map((text, k): Piece => ({ special: k % 2 === 1 ? specials.get(text)!.id : null, text: plain(text) }))
        .filter(({ text }) => text !== ""),
    plain,
  };
}

const anyOf = (texts: readonly string[]) =>
  texts.map((text) => text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&")).join("|");
