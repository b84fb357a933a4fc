/** Dates as people and programs write them, turned into ISO 8601 text. Nothing is converted between time zones. */

const pad = (value: number | string, width = 2): string => String(value).padStart(width, "0");

/** ISO date, or null when there is no such day. A two-digit year lies in 1970–2069. */
export function calendarDate(year: string | number, month: string | number, day: string | number): string | null {
  const written = Number(year);
  const y = String(year).length <= 2 ? (written < 70 ? 2000 + written : 1900 + written) : written;
  const m = Number(month);
  const d = Number(day);
  if (!(y >= 1000 && y <= 9999 && m >= 1 && m <= 12 && d >= 1)) return null;
  const daysInMonth = new Date(Date.UTC(y, m, 0)).getUTCDate();
  return d <= daysInMonth ? `${pad(y, 4)}-${pad(m)}-${pad(d)}` : null;
}

/** `HH:MM[:SS]` on a 24-hour clock, or null. `half` is "a" or "p" on a 12-hour clock; `0:08 a` is eight past midnight. */
export function clockTime(hour: string, minute: string, second?: string, half?: string): string | null {
  let h = Number(hour);
  if (half?.toLowerCase() === "p" && h < 12) h += 12;
  if (half?.toLowerCase() === "a" && h === 12) h = 0;
  if (h > 23 || Number(minute) > 59 || (second !== undefined && Number(second) > 60)) return null;
  return `${pad(h)}:${minute}${second === undefined ? "" : `:${second}`}`;
}

/** Unix time in seconds, milliseconds, microseconds or nanoseconds (told apart by size) as UTC; null outside 1980–2100. */
export function unixTime(value: number | string): string | null {
  if (typeof value === "string" && !/^\d{9,19}(\.\d{1,9})?$/.test(value)) return null;
  let seconds = Number(value);
  if (!Number.isFinite(seconds)) return null;
  while (seconds >= 1e11) seconds /= 1_000;
  if (seconds < 315_532_800 || seconds >= 4_102_444_800) return null;
  return `${new Date(Math.floor(seconds) * 1_000).toISOString().slice(0, 19)}Z`;
}

const isoPattern =
  /^(\d{4})[-/](\d{1,2})[-/](\d{1,2})(?:(?:T| +|, *)(?:\([A-Za-z]{2,9}\) *)?(\d{1,2}):(\d{2})(?::(\d{2})([.,]\d{1,9})?)?(?: *([AaPp])\.? ?[Mm]\.?)?(?: ?(Z|UTC|[+-]\d{2}:?\d{2}))?)?$/;

const months = "january february march april may june july august september october november december".split(" ");
/** 1–12 from an English month name or an abbreviation of at least three letters; null otherwise. */
export function monthNumber(name: string): number | null {
  const index = name.length < 3 ? -1 : months.findIndex((month) => month.startsWith(name.toLowerCase()));
  return index === -1 ? null : index + 1;
}

const timePattern = /(?<![\d:])(\d{1,2}):(\d{2})(?::(\d{2}))?(?: ?([AaPp])\.? ?[Mm]\b\.?)?/;
const dayMonthYear = /\b(\d{1,2})(?:st|nd|rd|th)?[ -]([A-Za-z]{3,9})\.?,?[ -](\d{4})\b/;
const monthDayYear = /\b([A-Za-z]{3,9})\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})\b/;

/** A date written out: ISO 8601, `2023/05/20 (Sat) 02:21`, `1:56 pm on 8 May, 2023`, `May 8, 2023`. Null when not certain. */
export function writtenDate(text: string): string | null {
  if (text.length > 60) return null;
  const trimmed = text.trim().replace(/[\u202f\u00a0]/g, " ");
  const iso = isoPattern.exec(trimmed);
  if (iso) {
    const date = calendarDate(iso[1]!, iso[2]!, iso[3]!);
    if (date === null || iso[4] === undefined) return date;
    const time = clockTime(iso[4], iso[5]!, iso[6], iso[8]);
    return time === null ? null : `${date}T${time}${(iso[7] ?? "").replace(",", ".")}${zone(iso[9])}`;
  }
  const dmy = dayMonthYear.exec(trimmed);
  const mdy = dmy ? null : monthDayYear.exec(trimmed);
  const named = dmy ? { day: dmy[1]!, month: dmy[2]!, year: dmy[3]! } : null;
  const parts = named ?? (mdy ? { day: mdy[2]!, month: mdy[1]!, year: mdy[3]! } : null);
  const month = parts === null ? null : monthNumber(parts.month);
  if (parts === null || month === null) return null;
  const date = calendarDate(parts.year, month, parts.day);
  const clock = timePattern.exec(trimmed);
  const time = clock ? clockTime(clock[1]!, clock[2]!, clock[3], clock[4]) : null;
  return date === null || time === null ? date : `${date}T${time}`;
}

/** `Z`, `+02:00` or nothing. */
export function zone(text: string | undefined): string {
  if (text === undefined) return "";
  if (text === "Z" || text === "UTC" || text === "GMT" || text === "UT") return "Z";
  return /^[+-]\d{2}:?\d{2}$/.test(text) ? `${text.slice(0, 3)}:${text.slice(-2)}` : "";
}

/** Milliseconds for comparing two `at` values; one without a zone counts as UTC. */
export function instantOf(at: string): number {
  const hasZone = /(?:Z|[+-]\d{2}:\d{2})$/.test(at.slice(10));
  return Date.parse(at.length === 10 || hasZone ? at : `${at}Z`);
}
