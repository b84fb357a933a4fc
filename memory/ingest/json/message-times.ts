/** When the messages of one conversation were sent: numbers are Unix time, text is read as a date where it is certain. */
import { isoDate, type NumericDate, resolveDateOrder } from "../date-order.ts";
import { clockTime, unixTime, writtenDate } from "../dates.ts";
import type { JsonMessage } from "./json-message.ts";

export interface TimedMessage extends JsonMessage {
  readonly at: string | null;
}

const numeric =
  /^(\d{1,2})[./-](\d{1,2})[./-](\d{4}|\d{2})(?:,? +(\d{1,2}):(\d{2})(?::(\d{2}))?(?: ?([AaPp])\.?[Mm]\.?)?)?$/;

/** Exports that list the newest message first are turned around. */
export function timeMessages(
  messages: readonly JsonMessage[],
  preferred?: "day-first" | "month-first",
): { messages: TimedMessage[]; notes: string[] } {
  const dates = messages.map(({ time }) => numericDate(time));
  const { order, note } = resolveDateOrder(
    dates.flatMap((found) => found?.date ?? []),
    preferred,
  );
  const notes = note === null ? [] : [note];
  const timed = messages.map((message, index): TimedMessage => {
    const found = dates[index]!;
    if (found === null) return { ...message, at: certainTime(message.time) };
    const day = isoDate(found.date, order);
    return { ...message, at: day === null || found.time === null ? day : `${day}T${found.time}` };
  });
  if (messages.some(({ time }) => time !== null && unixTime(time) !== null)) notes.push("Unix times are shown in UTC");
  if (!isNewestFirst(timed)) return { messages: timed, notes };
  return { messages: timed.reverse(), notes: [...notes, "the newest message came first; the order was turned around"] };
}

function certainTime(time: string | number | null): string | null {
  if (time === null) return null;
  return unixTime(time) ?? (typeof time === "string" ? writtenDate(time) : null);
}

function numericDate(time: string | number | null): { date: NumericDate; time: string | null } | null {
  const found = typeof time === "string" ? numeric.exec(time.trim().replace(/[\u202f\u00a0]/g, " ")) : null;
  if (!found) return null;
  const [, first, second, third, hour, minute, seconds, half] = found;
  const clock = hour === undefined ? null : clockTime(hour, minute!, seconds, half);
  return { date: { first: first!, second: second!, third: third! }, time: clock };
}

function isNewestFirst(messages: readonly TimedMessage[]): boolean {
  const times = messages.map(({ at }) => at);
  if (times.length < 2 || times.includes(null)) return false;
  const falls = times.every((at, index) => index === 0 || at! <= times[index - 1]!);
  return falls && times[0] !== times[times.length - 1];
}
