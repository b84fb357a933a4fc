/**
 * What reading a file gives: an ordered stream of sessions, each a list of messages. No model is involved.
 *
 * Kinds `text`, `markdown` and `log` are verbatim: concatenating all messages gives the decoded input back exactly.
 * The other kinds are rendered: each message becomes `[2016-01-14 12:03] Name: text` and ends with a line end.
 */

export interface Message {
  /** Verbatim text, or the rendered line(s) ending in "\n". */
  readonly text: string;
  /** Who said it; null when nobody is named. */
  readonly speaker: string | null;
  /** ISO 8601 date or date-time as far as known (`2023-05-08`, `2023-05-08T13:56`, `…Z`, `…+02:00`); null when not certain. */
  readonly at: string | null;
}

export type Session = readonly Message[];

export const documentKinds = ["text", "markdown", "messages", "chat", "log", "mail", "calendar", "json"] as const;
export type DocumentKind = (typeof documentKinds)[number];

export interface Document {
  /** Path relative to the input, `/` between folders. */
  readonly name: string;
  readonly kind: DocumentKind;
  readonly sessions: readonly Session[];
  /** WHATWG name of the encoding that was used, e.g. `utf-8`, `windows-1251`. */
  readonly encoding: string;
  /** Size of the input. */
  readonly bytes: number;
  /** Content hash of the input bytes. */
  readonly hash: string;
  /** What a reader should know: a guess that was made, something left out, bytes replaced. One line each. */
  readonly notes: readonly string[];
}

export interface Refusal {
  readonly name: string;
  /** One line: what came, and what to do about it. */
  readonly reason: string;
}

export interface ReadOptions {
  /** Bytes that cannot be decoded become U+FFFD instead of an error. */
  readonly lossy?: boolean;
  /** A WHATWG encoding label; without it the encoding is detected. */
  readonly encoding?: string;
  /** Read every file as this kind; without it the content decides. */
  readonly kind?: DocumentKind;
  /** Largest file that is read, in bytes (default 256 MiB). */
  readonly maxBytes?: number;
  /** How `01/02/2023` is read where a file holds no evidence (default day first). */
  readonly dateOrder?: "day-first" | "month-first";
  /** Start a new session of a dated chat after this much silence, instead of at each calendar day. */
  readonly sessionGapMinutes?: number;
}

/** What a kind's reader returns; null means "not this kind". */
export interface Reading {
  readonly kind: DocumentKind;
  readonly sessions: readonly Session[];
  readonly notes: readonly string[];
}

export interface ReadContext extends ReadOptions {
  /** Path relative to the input; only its extension matters, and only after the content. */
  readonly name: string;
  /** Display names by user id, from a Slack export's users.json. */
  readonly people?: ReadonlyMap<string, string> | undefined;
}

/** Lower-case extension without the dot; empty when there is none. */
export function extensionOf(name: string): string {
  return /\.([^./\\]{1,12})$/.exec(name)?.[1]?.toLowerCase() ?? "";
}
