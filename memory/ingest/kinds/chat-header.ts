/** The dated beginning of a chat line: `[01/20/19 11:23] `, `20.01.19, 11:23 - `, `[2019-12-24, 12:23] `, `[1:56 pm on 8 May, 2023] `. */
import { type DateOrder, isoDate, type NumericDate } from "../date-order.ts";
import { clockTime, writtenDate, zone } from "../dates.ts";

export interface ChatHeader {
  /** A date in numbers, whose order the whole file decides; null when `at` is already certain. */
  readonly date: NumericDate | null;
  readonly at: string | null;
  readonly time: string | null;
  /** What follows: speaker and text, or a system line. */
  readonly rest: string;
}

// exports wrap dates in direction marks and set "a. m." with narrow or no-break spaces
const marks = "[\\u200e\\u200f\\u202a-\\u202e\\ufeff]*";
const blank = "[ \\t\\u202f\\u00a0]";
const date = `(\\d{1,4})[./-]${blank}?(\\d{1,2})[./-]${blank}?(\\d{2,4})\\.?`;
const time = "(\\d{1,2})[:.](\\d{2})(?:[:.](\\d{2})(?:[.,]\\d{1,9})?)?";
const half = `(?:${blank}?([AaPp])\\.?${blank}?[Mm]\\b\\.?)?`;
const offset = `(?:${blank}?(Z|UTC|[+-]\\d{2}:?\\d{2}))?`;

const bracketed = new RegExp(
  `^${marks}\\[${date}(?:(?:,?${blank}{1,2}|T)${time}${half}${offset})?\\]${blank}?${marks}(?<rest>.*)$`,
  "s",
);
// no seconds here: "2019-01-01 11:25:30 - name - text" is a log line
const dashed = new RegExp(
  `^${marks}${date},?${blank}{1,2}(\\d{1,2})[:.](\\d{2})()${half}()${blank}[-–]${blank}${marks}(?<rest>.*)$`,
  "s",
);
const worded = new RegExp(`^${marks}\\[([^\\]\\n]{6,50})\\]${blank}?${marks}(?<rest>.*)$`, "s");

export function parseHeader(line: string): ChatHeader | null {
  // the first characters decide for nearly every line
  if (!/^[\u200e\u200f\u202a-\u202e\ufeff]*[[\d]/.test(line)) return null;
  const found = bracketed.exec(line) ?? dashed.exec(line);
  if (found) {
    const [, first, second, third, hour, minute, seconds, meridiem, zoneText] = found;
    const clock = hour === undefined ? null : clockTime(hour, minute!, seconds || undefined, meridiem);
    // a date alone needs its four-digit year: [1.2.34] is a version or a citation
    const believable = hour === undefined ? first!.length === 4 || third!.length === 4 : clock !== null;
    if (!believable) return null;
    const numbers = { first: first!, second: second!, third: third! };
    return {
      date: numbers,
      at: null,
      time: clock === null ? null : `${clock}${zone(zoneText)}`,
      rest: found.groups!.rest!,
    };
  }
  const named = worded.exec(line);
  const at = named ? writtenDate(named[1]!) : null;
  return named && at !== null ? { date: null, at, time: null, rest: named.groups!.rest! } : null;
}

/** The header's date in the file's order; null when there is no such day. */
export function headerDate(header: ChatHeader, order: DateOrder): string | null {
  if (header.date === null) return header.at;
  // four digits in front are a year whatever the other dates of the file say
  const day = isoDate(header.date, header.date.first.length === 4 ? "year-first" : order);
  return day === null || header.time === null ? day : `${day}T${header.time}`;
}
