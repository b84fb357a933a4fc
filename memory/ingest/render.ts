/** One message as the text that the memory reads: `[2016-01-14 12:03] Name: text`. */
import type { Message } from "./document.ts";

export interface Spoken {
  readonly speaker: string | null;
  readonly at: string | null;
  /** The date as it stood in the source, shown when it could not be understood. */
  readonly dateText?: string | null;
  readonly text: string;
}

// a line inside a message that looks like the start of another one could put words into someone's mouth
const looksLikeHeader = /^\[\d{4}-\d{2}-\d{2}/;

export function renderMessage(spoken: Spoken): Message {
  const speaker = oneLine(spoken.speaker ?? "") || null;
  const date = spoken.at === null ? oneLine(spoken.dateText ?? "") : shownDate(spoken.at);
  const lines = trimLineEnds(spoken.text).split(/\r\n|\n/);
  const body = lines.map((line, index) => (index > 0 && looksLikeHeader.test(line) ? `  ${line}` : line)).join("\n");
  const head = `${date === "" ? "" : `[${date}] `}${speaker === null ? "" : `${speaker}: `}`;
  return { text: `${wellFormed(`${head}${body}`).trimEnd()}\n`, speaker, at: spoken.at };
}

/** `2016-01-14T12:03:59Z` → `2016-01-14 12:03`. */
export const shownDate = (at: string): string => at.slice(0, 16).replace("T", " ");

/** A name or title on one line, at most 100 characters, without direction marks around it. */
export function oneLine(text: string): string {
  const line = wellFormed(text.slice(0, 400))
    .replace(/[\s\u202f\u00a0]+/g, " ")
    .replace(/^[\u200e\u200f\u202a-\u202e\ufeff ]+|[\u200e\u200f\u202a-\u202e\ufeff ]+$/g, "");
  return [...line].slice(0, 100).join("");
}

// JSON can carry halves of surrogate pairs; UTF-8 storage cannot
const wellFormed = (text: string): string =>
  /[\ud800-\udfff]/.test(text) ? text.replace(/\p{Surrogate}/gu, "\ufffd") : text;

function trimLineEnds(text: string): string {
  let to = text.length;
  while (to > 0 && (text[to - 1] === "\n" || text[to - 1] === "\r")) to--;
  let from = 0;
  while (from < to && (text[from] === "\n" || text[from] === "\r")) from++;
  return text.slice(from, to);
}
