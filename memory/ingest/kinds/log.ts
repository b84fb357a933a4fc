/**
 * Log files: a message per entry, verbatim. An entry is a stamped line with the unstamped lines that follow it (stack
 * traces, wrapped text). Stamps stay as they are in the text; `at` is set only where the date is certain, so not for
 * syslog (no year), TAI64N (leap seconds) or 01/02/2023.
 */
import { calendarDate, clockTime, monthNumber, unixTime, zone } from "../dates.ts";
import { extensionOf, type Message, type ReadContext, type Reading } from "../document.ts";
import { isBlank, splitLines } from "../lines.ts";
import { splitSessions } from "../sessions.ts";

/** Lines longer than this are judged by their beginning. */
const headLength = 200;
const enough = 0.6;

export function readLog(text: string, context: ReadContext): Reading | null {
  const lines = splitLines(text);
  const named = context.kind === "log" || extensionOf(context.name) === "log";
  const opening = lines.find((line) => !isBlank(line)) ?? "";
  if (!named && stampOf(opening.slice(0, headLength)) === null) return null;
  const stamps = lines.map((line) => stampOf(line.slice(0, headLength)));
  if (!named && !isStamped(lines, stamps)) return null;
  const stamped = stamps.some((stamp) => stamp !== null);
  const messages: { lines: string[]; at: string | null }[] = [];
  for (const [index, line] of lines.entries()) {
    const stamp = stamps[index]!;
    const last = messages[messages.length - 1];
    if (last !== undefined && (stamped ? stamp === null : isBlank(line))) last.lines.push(line);
    else messages.push({ lines: [line], at: stamp?.at ?? null });
  }
  const entries: Message[] = messages.map(({ lines: held, at }) => ({ text: held.join(""), speaker: null, at }));
  return { kind: "log", sessions: splitSessions(entries, context.sessionGapMinutes), notes: [] };
}

/** Most of the lines that are not indented have a stamp. */
function isStamped(lines: readonly string[], stamps: readonly ({ at: string | null } | null)[]): boolean {
  const heads = lines.flatMap((line, index) => (isBlank(line) || /^\s/.test(line) ? [] : [stamps[index]!]));
  const count = heads.filter((stamp) => stamp !== null).length;
  return count / Math.max(heads.length, 1) >= enough;
}

const clock = "(\\d{2}):(\\d{2})(?::(\\d{2})([.,]\\d{1,9})?)?";
const offset = "(?: ?(Z|UTC|[+-]\\d{2}:?\\d{2})(?![\\w:]))?";
const iso = new RegExp(`^(?:\\[|\\(|<|")?(\\d{4})[-/](\\d{2})[-/](\\d{2})(?:T|[ ,_]{1,2})${clock}${offset}`);
const isoDay = /^\[(\d{4})-(\d{2})-(\d{2})\] /;
const ordinal = new RegExp(`^\\[?(\\d{4})-(\\d{3})(?:T|[ ,]{1,2})${clock}${offset}`);
const webAccess = new RegExp(
  `^\\S{1,80} \\S{1,80} \\S{1,80} \\[(\\d{2})/([A-Za-z]{3})/(\\d{4}):${clock} ([+-]\\d{4})\\]`,
);
const ctime = new RegExp(`^\\[?[A-Z][a-z]{2} ([A-Z][a-z]{2}) {1,2}(\\d{1,2}) ${clock}(?: [A-Z]{3,4})? (\\d{4})\\b`);
const epoch = /^(\d{10}(?:\.\d{1,9})?|\d{13})[ :,]/;
/** Stamps whose date is not certain. */
const undated = [
  /^(?:<\d{1,3}>)?\p{L}{3,9}\.? {1,2}\d{1,2} \d{2}:\d{2}:\d{2}[ .]/u,
  /^@[0-9a-f]{24}\b/,
  /^\[?\d{1,2}[/.-]\d{1,2}[/.-](?:\d{4}|\d{2}),? \d{1,2}:\d{2}/,
  /^\[?\d{2}:\d{2}:\d{2}(?:[.,]\d{1,9})?\]?(?!\S| -->)/,
  /^[IWEF]\d{4} \d{2}:\d{2}:\d{2}\.\d{6}/,
];

/** Null for a line without a stamp; `at` null for a stamp whose date is not certain. */
function stampOf(line: string): { at: string | null } | null {
  let found = iso.exec(line);
  if (found) return { at: joined(calendarDate(found[1]!, found[2]!, found[3]!), found, 4) };
  found = isoDay.exec(line);
  if (found) return { at: calendarDate(found[1]!, found[2]!, found[3]!) };
  found = ordinal.exec(line);
  if (found) return { at: joined(dayOfYear(Number(found[1]), Number(found[2])), found, 3) };
  found = webAccess.exec(line);
  if (found) return { at: joined(calendarDate(found[3]!, monthNumber(found[2]!) ?? 0, found[1]!), found, 4) };
  found = ctime.exec(line);
  if (found) return { at: joined(calendarDate(found[7]!, monthNumber(found[1]!) ?? 0, found[2]!), found, 3, "") };
  found = epoch.exec(line);
  const instant = found ? unixTime(found[1]!) : null;
  if (instant !== null && instant >= "2000") return { at: instant };
  return undated.some((pattern) => pattern.test(line)) ? { at: null } : null;
}

/** Date, then hour, minute, second, fraction and zone from the groups that start at `first`. */
function joined(
  date: string | null,
  found: RegExpExecArray,
  first: number,
  zoneText = found[first + 4],
): string | null {
  const time = clockTime(found[first]!, found[first + 1]!, found[first + 2]);
  if (date === null || time === null) return date;
  return `${date}T${time}${(found[first + 3] ?? "").replace(",", ".")}${zone(zoneText)}`;
}

function dayOfYear(year: number, day: number): string | null {
  const date = new Date(Date.UTC(year, 0, day));
  return day >= 1 && date.getUTCFullYear() === year ? date.toISOString().slice(0, 10) : null;
}
