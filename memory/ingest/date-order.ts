/** Which number of `01/02/23` is the day: decided once for a whole file, by all its dates together. */
import { calendarDate } from "./dates.ts";

/** A date of three numbers whose order is not known yet, kept as written: the width of a year matters. */
export interface NumericDate {
  readonly first: string;
  readonly second: string;
  readonly third: string;
}

export type DateOrder = "year-first" | "day-first" | "month-first";

/** Null when there is no such day. */
export function isoDate(date: NumericDate, order: DateOrder): string | null {
  if (order === "year-first") return calendarDate(date.first, date.second, date.third);
  if (date.first.length > 2 || date.third.length === 1 || date.third.length === 3) return null;
  return order === "day-first"
    ? calendarDate(date.third, date.second, date.first)
    : calendarDate(date.third, date.first, date.second);
}

/**
 * One order for a whole file. The order that makes the most dates exist wins; among equals the one in which time runs
 * backwards least often; then `preferred`. A two-digit year comes first only where that alone puts the dates in order.
 * `note` is set when the evidence did not decide alone.
 */
export function resolveDateOrder(
  dates: readonly NumericDate[],
  preferred: "day-first" | "month-first" = "day-first",
): { order: DateOrder; note: string | null } {
  // a chat repeats its day line after line
  const changes = dates.filter((date, index) => index === 0 || !isSame(date, dates[index - 1]!));
  const readIn = (order: DateOrder) => {
    const days = changes.flatMap((date) => isoDate(date, order) ?? []);
    const steps = days.slice(1).map((day, index) => (day < days[index]! ? -1 : day > days[index]! ? 1 : 0));
    return {
      order,
      valid: days.length,
      backwards: steps.filter((step) => step < 0).length,
      isOrdered: !(steps.includes(-1) && steps.includes(1)),
      text: days.join(),
    };
  };
  const first = readIn(preferred);
  const second = readIn(preferred === "day-first" ? "month-first" : "day-first");
  const yearFirst = readIn("year-first");
  const byOrder = (order: DateOrder, how: string) => {
    const example = dates.find((date) => isoDate(date, first.order) !== isoDate(date, second.order)) ?? dates[0]!;
    return `dates like ${example.first}/${example.second}/${example.third} ${how.replace("%", order.replace("-", " "))}`;
  };
  const best =
    second.valid > first.valid || (second.valid === first.valid && second.backwards < first.backwards) ? second : first;
  const betterByOrder = yearFirst.valid === best.valid && yearFirst.isOrdered && !best.isOrdered;
  if (yearFirst.valid > best.valid) return { order: "year-first", note: null };
  if (betterByOrder) return { order: "year-first", note: byOrder("year-first", inOrder) };
  if (first.valid !== second.valid || first.text === second.text) return { order: best.order, note: null };
  if (first.backwards !== second.backwards) return { order: best.order, note: byOrder(best.order, inOrder) };
  return { order: preferred, note: byOrder(preferred, byDefault) };
}

const inOrder = "were read %: that way they run forwards in time";
const byDefault = "could be day first or month first; they were read % (set the date order to change it)";

const isSame = (a: NumericDate, b: NumericDate): boolean =>
  a.first === b.first && a.second === b.second && a.third === b.third;
