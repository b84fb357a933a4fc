/**
 * When something happened, from a sentence and the day on which it was said.
 *
 * A date in the sentence counts as it stands. "Yesterday" and "two days ago" become a day; "last week" or "last Friday"
 * stays what it is, with the day beside it ("the week before 9 June 2023"), since more would be a guess.
 */
import { calendarDate, monthNumber } from "../../memory/ingest/dates.ts";

const MONTHS = "January February March April May June July August September October November December".split(" ");
const MONTH = `(?:${MONTHS.join("|")})`;
const WEEKDAY = "(?:Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday)";
const NUMBERS = "one two three four five six seven eight nine ten eleven twelve".split(" ");
const COUNT = `(\\d{1,3}|an?|a couple of|a few|${NUMBERS.join("|")})`;

const dayMonth = new RegExp(`\\b(\\d{1,2})(?:st|nd|rd|th)?(?: of)? (${MONTH})(?:,? (\\d{4}))?\\b`);
const monthDay = new RegExp(`\\b(${MONTH}) (\\d{1,2})(?:st|nd|rd|th)?(?!\\d)(?:,? (\\d{4}))?`);
const isoDay = /\b(\d{4})-(\d{2})-(\d{2})\b/;
const monthOnly = new RegExp(
  `\\b(?:in|since|until|by|during|early|late|mid|last|this|next) (${MONTH})(?:,? (\\d{4}))?\\b`,
);
const yearOnly = /\b(?:in|since|until|by|during|back in) ((?:19|20)\d{2})\b/;
const ago = new RegExp(`\\b${COUNT} (day|week|month|year)s? ago\\b`, "i");
const lastOrNext = new RegExp(
  `\\b(last|past|previous|next|coming|this) (night|week|weekend|month|year|summer|winter|spring|fall|autumn|${WEEKDAY})\\b`,
  "i",
);

/** In words, as an answer: "7 May 2023", "the week before 9 June 2023", "2022". Null without a date to go by. */
export function dateInWords(sentence: string, said: string | null): string | null {
  return absolute(sentence, said) ?? (said === null ? null : (relative(sentence, said) ?? inWords(said)));
}

function absolute(sentence: string, said: string | null): string | null {
  const iso = isoDay.exec(sentence);
  if (iso) return inWords(iso[0]);
  const first = dayMonth.exec(sentence);
  const second = first ? null : monthDay.exec(sentence);
  const day = first?.[1] ?? second?.[2];
  const month = first?.[2] ?? second?.[1];
  if (day !== undefined && month !== undefined) {
    const year = first?.[3] ?? second?.[3];
    const exists = calendarDate(year ?? said?.slice(0, 4) ?? 2024, monthNumber(month) ?? 0, day);
    if (exists !== null) return year === undefined ? `${Number(day)} ${month}` : inWords(exists);
  }
  const inMonth = monthOnly.exec(sentence);
  if (inMonth) return `${inMonth[1]}${inMonth[2] ? ` ${inMonth[2]}` : said ? ` ${said.slice(0, 4)}` : ""}`;
  return yearOnly.exec(sentence)?.[1] ?? null;
}

function relative(sentence: string, said: string): string | null {
  if (/\byesterday\b|\blast night\b/i.test(sentence)) return inWords(shifted(said, -1));
  if (/\btomorrow\b/i.test(sentence)) return inWords(shifted(said, 1));
  if (/\b(?:today|tonight|this (?:morning|afternoon|evening)|just now)\b/i.test(sentence)) return inWords(said);
  const past = ago.exec(sentence);
  if (past) {
    const count = countOf(past[1]!);
    const unit = past[2]!.toLowerCase();
    if (count === null) return `${past[0]} (${inWords(said)})`;
    if (unit === "day") return inWords(shifted(said, -count));
    if (unit === "week")
      return count === 1 ? `the week before ${inWords(said)}` : `${past[1]} weeks before ${inWords(said)}`;
    if (unit === "month") return monthInWords(said, -count);
    return String(Number(said.slice(0, 4)) - count);
  }
  const around = lastOrNext.exec(sentence);
  if (!around) return null;
  const [, which, what] = around;
  const unit = what!.toLowerCase();
  const sign = /^(?:next|coming)$/i.test(which!) ? 1 : /^this$/i.test(which!) ? 0 : -1;
  if (unit === "year") return String(Number(said.slice(0, 4)) + sign);
  if (unit === "month") return monthInWords(said, sign);
  if (sign === 0) return `this ${what} (${inWords(said)})`;
  return `the ${what} ${sign < 0 ? "before" : "after"} ${inWords(said)}`;
}

/** `2023-05-08` → `8 May 2023`. */
export function inWords(day: string): string {
  const [year, month, date] = day.split("-").map(Number);
  return `${date} ${MONTHS[month! - 1]} ${year}`;
}

function monthInWords(day: string, by: number): string {
  const months = Number(day.slice(0, 4)) * 12 + Number(day.slice(5, 7)) - 1 + by;
  return `${MONTHS[months % 12]} ${Math.floor(months / 12)}`;
}

function shifted(day: string, by: number): string {
  const date = new Date(`${day}T00:00:00Z`);
  date.setUTCDate(date.getUTCDate() + by);
  return date.toISOString().slice(0, 10);
}

function countOf(word: string): number | null {
  if (/^\d+$/.test(word)) return Number(word);
  if (/^an?$/i.test(word)) return 1;
  const index = NUMBERS.indexOf(word.toLowerCase());
  return index < 0 ? null : index + 1;
}
