/**
 * The calendar of the bank: five-day groups, months and years, each an entry with a title of its own, and all of time.
 *
 * Totals are kept per period, so that a sum over any range needs a few dozen entries at most, however long the stream.
 */
import { twoDigits } from "./dates.ts";

export interface Period {
  readonly kind: "all" | "year" | "month" | "group";
  /** The title of its entry. */
  readonly title: string;
  /** First and last day, ISO, both included. */
  readonly from: string;
  readonly to: string;
  /** What the period above calls it: "2024", "04", or a group's first day "06". */
  readonly key: string;
}

export const allYears: Period = { kind: "all", title: "all years", from: "0000-01-01", to: "9999-12-31", key: "" };

/** Titles that hold this text are years, months of a year, groups of a month; what `memory_list` is asked for. */
export const yearFilter = "year ";
export const monthFilter = (year: string) => `month ${year}`;
export const groupFilter = (month: string) => `days ${month}`;

export function yearOf(date: string): Period {
  const year = date.slice(0, 4);
  return { kind: "year", title: `year ${year}`, from: `${year}-01-01`, to: `${year}-12-31`, key: year };
}

export function monthOf(date: string): Period {
  const month = date.slice(0, 7);
  return {
    kind: "month",
    title: `month ${month}`,
    from: `${month}-01`,
    to: `${month}-${lastDay(month)}`,
    key: month.slice(5),
  };
}

const groupSize = 5;
const groupStarts = ["01", "06", "11", "16", "21", "26"] as const;

/** Five days; the sixth group of a month takes what is left of it. */
export function groupOf(date: string): Period {
  const month = date.slice(0, 7);
  const index = Math.min(Math.floor((Number(date.slice(8)) - 1) / groupSize), groupStarts.length - 1);
  const start = groupStarts[index]!;
  const end = index === groupStarts.length - 1 ? lastDay(month) : twoDigits(Number(start) + groupSize - 1);
  return {
    kind: "group",
    title: `days ${month}-${start} to ${end}`,
    from: `${month}-${start}`,
    to: `${month}-${end}`,
    key: start,
  };
}

/** The group, month and year of a date, smallest first. */
export const periodsOf = (date: string): readonly [Period, Period, Period] => [
  groupOf(date),
  monthOf(date),
  yearOf(date),
];

/** The periods right below this one that exist by name; those of a group are days and have no totals of their own. */
export function childNamed(parent: Period, key: string): Period {
  if (parent.kind === "all") return yearOf(`${key}-01-01`);
  if (parent.kind === "year") return monthOf(`${parent.key}-${key}-01`);
  return groupOf(`${parent.from.slice(0, 7)}-${key}`);
}

/** The period that an entry's title names, or null. */
export function periodTitled(title: string): Period | null {
  const match = /^(?:year (\d{4})|month (\d{4}-\d{2})|days (\d{4}-\d{2}-\d{2}) to \d{2})$/.exec(title);
  if (!match) return null;
  const [, year, month, start] = match;
  const period =
    year !== undefined ? yearOf(`${year}-01-01`) : month !== undefined ? monthOf(`${month}-01`) : groupOf(start!);
  return period.title === title ? period : null;
}

function lastDay(month: string): string {
  const [year, number] = month.split("-").map(Number) as [number, number];
  return twoDigits(new Date(Date.UTC(year, number, 0)).getUTCDate());
}
