/**
 * The dated amounts that an entry holds, in whatever style it is written.
 *
 * A line of fields, `2024-02-23 | Dining | Coffee | 4.50-1.20`, is one record: what `ledger_aggregate` reads, and also
 * what it cannot read because a field is wrong. In a bank without such lines, each line of free words that names an
 * amount is a fact, with every amount on it; lines of totals are not.
 */
import { takeDates } from "../../../policies/ledger-expert/dates.ts";

export interface Text {
  readonly title: string;
  readonly content: string;
}

export interface Fact {
  /** As it is written; two facts of one entry are told apart by it. */
  readonly line: string;
  /** Of the line, else of the title; null when there is none that can be read. */
  readonly date: string | null;
  /** What the title says of the date, as far as it goes: "2024-02-23", "2024-02", "2024"; null for nothing. */
  readonly titleDate: string | null;
  /** A record's sub-scene; null in free words. */
  readonly subscene: string | null;
  /** Title and line, lower case: where free words are looked for. */
  readonly words: string;
  /** Cents: a record has one, or none when it cannot be read. */
  readonly amounts: readonly number[];
}

/** Whether a text holds a record: then its bank is one of records, and free words are notes. */
export const holdsRecord = ({ content }: Text): boolean => content.split("\n").some((line) => fieldsOf(line) !== null);

export function factsOf({ title, content }: Text, { records }: { readonly records: boolean }): Fact[] {
  const titleDate = dateIn(title) ?? /\b\d{4}(?:-\d{2})?\b/.exec(title)?.[0] ?? null;
  const facts = content.split("\n").flatMap((line): Fact[] => {
    const about = { line: line.trim(), titleDate, words: `${title} ${line}`.toLowerCase() };
    if (!records) {
      const amounts = total.test(line) ? [] : amountsIn(line);
      return amounts.length > 0 ? [{ ...about, date: dateIn(line) ?? dateIn(title), subscene: null, amounts }] : [];
    }
    const fields = fieldsOf(line);
    if (!fields) return [];
    const amount = workedOut(fields.amount);
    return [
      { ...about, date: dateIn(fields.date), subscene: fields.subscene, amounts: amount === null ? [] : [amount] },
    ];
  });
  if (records || facts.length > 0 || content.trim() !== "") return facts;
  const amounts = amountsIn(title);
  if (amounts.length === 0) return [];
  return [{ line: "", date: dateIn(title), titleDate, subscene: null, words: title.toLowerCase(), amounts }];
}

const total = /\b(?:sub)?totals?\b|\b(?:sum|balance|so far|average)\b/i;

/** Date, (scene,) sub-scene, amount: at least three fields. */
function fieldsOf(line: string): { date: string; subscene: string; amount: string } | null {
  const fields = line.split("|").map((field) => field.trim());
  if (fields.length < 3) return null;
  const [date = "", second = "", third = "", fourth] = fields;
  return fourth === undefined ? { date, subscene: second, amount: third } : { date, subscene: third, amount: fourth };
}

const iso = /\d{4}-\d{2}-\d{2}/;

/** Also of a day that there is not: it is a date all the same, and a wrong one. */
export const dateIn = (text: string): string | null =>
  iso.exec(text)?.[0] ?? takeDates(text.toLowerCase(), "@").dates[0] ?? null;

const number = String.raw`\d{1,12}(?:\.\d{1,4})?`;
const expression = new RegExp(String.raw`^[+-]?${number}(?:\s*[+-]\s*${number})*$`);

/** "75.00 - 12.50" → 6250; null for what is no such expression. */
export function workedOut(text: string): number | null {
  if (!expression.test(text)) return null;
  const terms = text.replace(/\s/g, "").match(/[+-]?[\d.]+/g) ?? [];
  return Math.round(terms.reduce((sum, term) => sum + Number(term), 0) * 100);
}

const money = /(?<![\w.,:/-])\$? ?(\d{1,3}(?:,\d{3})+|\d+)(\.\d{1,2})?(?![\w%:/]|[.,-]\d)/g;

function amountsIn(line: string): number[] {
  const { text } = takeDates(line.toLowerCase(), "@");
  return [...text.matchAll(money)].map(([, whole = "", fraction = ""]) =>
    Math.round(Number(`${whole.replaceAll(",", "")}${fraction}`) * 100),
  );
}
