/**
 * Decimal-exact match, for answers that are amounts, dates or names (not in the paper, whose EM loses point and sign).
 *
 * A gold answer that is one amount is matched by one amount of the same value, to the cent (or to the gold's last
 * decimal if it has more): currency marks, thousands separators and trailing zeros do not matter, the sign does. A text
 * with anything beside the amount is not an amount. Any other gold answer is a comma-separated list, matched by the same
 * items in any order and any case; an item that is an amount is compared as one, a date as its text.
 */
import { Decimal } from "decimal.js";
import type { Metric } from "../benchmark.ts";
import { extractAnswer } from "./extract-answer.ts";

const currency = "(?:\\p{Sc}|US\\$|USD|EUR|GBP|CNY|RMB|JPY|yuan|dollars?|euros?|pounds?)";
const amount = new RegExp(
  `^(?<sign>[-+\u2212]?)\\s*(?:${currency}\\s*)?(?<inner>[-+\u2212]?)` +
    `(?<number>(?:\\d{1,3}(?:[,\u00a0\u2009\u202f]\\d{3})+|\\d+)(?:\\.\\d+)?|\\.\\d+)(?:\\s*${currency})?$`,
  "iu",
);
const centPlaces = 2;

export function scoreDecimalExact(prediction: string, gold: string): number {
  const expected = parseAmount(gold);
  if (expected) {
    const predicted = parseAmount(prediction);
    const places = Math.max(centPlaces, expected.decimalPlaces());
    return predicted?.toDecimalPlaces(places, Decimal.ROUND_HALF_UP).equals(expected) ? 1 : 0;
  }
  const expectedItems = itemsOf(gold);
  const predictedItems = itemsOf(prediction);
  return predictedItems.size === expectedItems.size && [...expectedItems].every((item) => predictedItems.has(item))
    ? 1
    : 0;
}

/** The one amount that the text states, or null when it states none, several, or something else beside it. */
export function parseAmount(text: string): Decimal | null {
  const groups = amount.exec(unwrapped(text))?.groups;
  if (!groups) return null;
  const signs = `${groups.sign}${groups.inner}`;
  if (signs.length > 1) return null;
  const value = new Decimal(groups.number!.replace(/[^\d.]/g, ""));
  return signs === "-" || signs === "\u2212" ? value.negated() : value;
}

function itemsOf(text: string): Set<string> {
  const items = text.split(",").map((item) => unwrapped(item).replace(/\s+/g, " ").toLowerCase());
  return new Set(items.filter((item) => item !== "").map((item) => parseAmount(item)?.toFixed(centPlaces) ?? item));
}

/** Without the blanks, quotes, Markdown emphasis and full stop around it. */
function unwrapped(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && /[\s*_`"'“”‘’]/.test(text[start]!)) start++;
  while (end > start && /[\s*_`"'“”‘’.]/.test(text[end - 1]!)) end--;
  return text.slice(start, end);
}

export const decimalExact: Metric = {
  name: "decimal_exact",
  score: (prediction, question) =>
    question.answer === null ? null : scoreDecimalExact(extractAnswer(prediction), question.answer),
};
