/** How amounts are written in dialogues, and how every amount of a text is found again. */
import type { Rng } from "../../../base/rng.ts";
import type { Profile } from "./forms/form.ts";
import { formatCents } from "./money.ts";
import { amountsInWords, numberToWords } from "./number-words.ts";

/** One natural spelling of the amount: "12", "$12", "12.5", "1,299.00", in the full profile also words. */
export function spellAmount(cents: number, profile: Profile, random: Rng): string {
  return random.pick(spellings(cents, profile));
}

/** Every spelling that a profile may use, most usual first. */
export function spellings(cents: number, profile: Profile): string[] {
  const whole = Math.floor(cents / 100);
  const rest = cents % 100;
  const exact = formatCents(cents);
  const grouped = `${groupThousands(whole)}.${exact.slice(-2)}`;
  const forms = [exact, `$${grouped}`];
  if (whole >= 1000) forms.push(grouped);
  if (rest === 0) forms.push(`${whole}`, `$${groupThousands(whole)}`, `${whole} dollars`);
  if (rest !== 0 && rest % 10 === 0) forms.push(`${whole}.${rest / 10}`);
  if (profile === "micro") return forms;
  forms.push(rest === 0 ? `${groupThousands(whole)} bucks` : `${exact} dollars`);
  if (whole >= 2 && whole < 1000) {
    if (rest === 0) forms.push(`${numberToWords(whole)} dollars`);
    else if (whole < 100 && rest >= 10) forms.push(`${numberToWords(whole)} ${numberToWords(rest)}`);
  }
  return forms;
}

const datePattern = /\d{4}-\d{2}-\d{2}/g;
const longDatePattern =
  /\b(January|February|March|April|May|June|July|August|September|October|November|December) (\d{1,2}), (\d{4})\b/g;
const months = "January February March April May June July August September October November December".split(" ");

/** "2024-03-05" → "March 5, 2024". */
export function spellDate(date: string): string {
  const [year, month, day] = date.split("-").map(Number) as [number, number, number];
  return `${months[month - 1]} ${day}, ${year}`;
}

/** ISO dates named by the text, in either spelling, in order. */
export function datesIn(text: string): string[] {
  const plain = [...text.matchAll(datePattern)].map((match) => ({ date: match[0], at: match.index }));
  const long = [...text.matchAll(longDatePattern)].map((match) => {
    const [, month, day, year] = match;
    return { date: `${year}-${pad(months.indexOf(month!) + 1)}-${pad(Number(day))}`, at: match.index };
  });
  return [...plain, ...long].sort((a, b) => a.at - b.at).map(({ date }) => date);
}

/**
 * All numbers of the text that are no part of a date, digits and words, in cents and in order. A number of a shape that
 * no dialogue uses (a sign, a percentage, "5k", three decimals, digits of another script) is -1: it equals no amount.
 */
export function amountsIn(text: string): number[] {
  const blank = (found: string) => ";".padEnd(found.length);
  const rest = text.replace(datePattern, blank).replace(longDatePattern, blank);
  const digits = [...rest.matchAll(/[-\u2212+]?\p{N}[\p{N},]*(?:\.\p{N}+)?[\p{L}%]?/gu)].map((match) => ({
    cents: digitsToCents(match[0]),
    at: match.index,
  }));
  return [...digits, ...amountsInWords(rest)].sort((a, b) => a.at - b.at).map(({ cents }) => cents);
}

function digitsToCents(found: string): number {
  const plain = found.replace(/,+$/, "");
  if (!/^(?:[0-9]+|[0-9]{1,3}(?:,[0-9]{3})+)(?:\.[0-9]{1,2})?$/.test(plain)) return -1;
  const [whole = "0", fraction = ""] = plain.replaceAll(",", "").split(".");
  return Number(whole) * 100 + Number(fraction.padEnd(2, "0"));
}

const pad = (n: number) => String(n).padStart(2, "0");
const groupThousands = (n: number) => String(n).replace(/\B(?=(\d{3})+$)/g, ",");
