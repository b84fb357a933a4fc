/**
 * Amounts of money as people write them: "12.50", "$1,299", "12 bucks", "twelve dollars", "twelve fifty". Integer cents.
 *
 * A number that counts things ("40 pages") is no money, and neither is a lone number word ("the next one") or a part of
 * something longer ("555-1234").
 */
const small =
  "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen";
const tens = "twenty thirty forty fifty sixty seventy eighty ninety";
const wordValues = new Map<string, number>([
  ...small.split(" ").map((word, i): [string, number] => [word, i + 1]),
  ...tens.split(" ").map((word, i): [string, number] => [word, (i + 2) * 10]),
  ["hundred", 100],
  ["thousand", 1_000],
]);

const word = `(?:${[...wordValues.keys()].join("|")})`;
const unit = "(?: ?(?:dollars?|bucks?|usd))?";
const digits = `\\$ ?\\d+(?:,\\d{3})*(?:\\.\\d{1,2})?(?![\\w%]|[.-]\\d)|(?<![\\w.,-])\\d+(?:,\\d{3})*(?:\\.\\d{1,2})?(?![\\w%]|[.-]\\d)${unit}`;
const inDigits = new RegExp(digits, "g");
const inDigitsOrWords = new RegExp(`${digits}|\\b${word}(?:(?:[ -]| and )${word})*\\b${unit}`, "g");
const hasNumberWord = new RegExp(`\\b${word}\\b`);
const hasNumber = new RegExp(`\\d|\\b${word}\\b`);

/** "40 pages", "9 people", but not "12.50 is right" or "12.50 this time". */
const countedThing = /^ (?!(?:is|was|as|this|has|plus|across|towards?)\b)(?:[a-z]{2,}s|people|km|kilometers?)\b/;

/** Whether a lower-case text can hold an amount at all. */
export const mayHoldAmount = (text: string): boolean => hasNumber.test(text);

/** Replaces each amount of a lower-case text by `mark`; `amounts` are their cents, in order. */
export function takeAmounts(
  text: string,
  mark: string,
): { readonly text: string; readonly amounts: readonly number[] } {
  const amounts: number[] = [];
  const pattern = hasNumberWord.test(text) ? inDigitsOrWords : inDigits;
  const masked = text.replace(pattern, (found: string, at: number) => {
    const money = /[$dbu]/.test(found); // a currency mark or unit
    if (!money && countedThing.test(text.slice(at + found.length, at + found.length + 24))) return found;
    const cents = /\d/.test(found) ? centsOfDigits(found) : centsOfWords(found);
    if (cents === null) return found;
    amounts.push(cents);
    return mark;
  });
  return { text: masked, amounts };
}

function centsOfDigits(found: string): number | null {
  const [whole = "", fraction = ""] = found.replace(/[^\d.]/g, "").split(".");
  const cents = Number(whole) * 100 + Number(fraction.padEnd(2, "0"));
  return Number.isSafeInteger(cents) ? cents : null;
}

/** "forty-two dollars" is 42.00, "twelve fifty" 12.50; a number word alone is no amount. */
function centsOfWords(found: string): number | null {
  const tokens = found.split(/[ -]/);
  const hasUnit = /^(?:dollar|buck|usd)/.test(tokens.at(-1)!);
  if (hasUnit) tokens.pop();
  const whole = readNumber(tokens, 0);
  if (whole.end === tokens.length) return hasUnit ? whole.value * 100 : null;
  const cents = readNumber(tokens, whole.end);
  return cents.end === tokens.length && cents.value >= 10 && cents.value < 100 ? whole.value * 100 + cents.value : null;
}

/** The longest number that starts at `at`. */
function readNumber(tokens: readonly string[], at: number): { value: number; end: number } {
  let thousands = 0;
  let value = 0;
  let end = at;
  for (; end < tokens.length; end++) {
    const next = wordValues.get(tokens[end]!);
    if (next === undefined) {
      if (tokens[end] === "and" && end > at) continue;
      break;
    }
    if (next === 1_000) {
      thousands += Math.max(value, 1) * 1_000;
      value = 0;
    } else if (next === 100) value = Math.max(value, 1) * 100;
    else {
      const room = value % 100;
      if (room !== 0 && !(room >= 20 && room % 10 === 0 && next < 10)) break;
      value += next;
    }
  }
  return { value: thousands + value, end };
}

/** 1250 → "12.50". */
export function formatCents(cents: number): string {
  const digitsOnly = String(Math.abs(cents)).padStart(3, "0");
  return `${cents < 0 ? "-" : ""}${digitsOnly.slice(0, -2)}.${digitsOnly.slice(-2)}`;
}

/** "12.50" → 1250; null for anything but digits with at most two decimals. */
export function parseCents(text: string): number | null {
  const match = /^(\d{1,13})(?:\.(\d{1,2}))?$/.exec(text);
  return match ? Number(match[1]) * 100 + Number((match[2] ?? "").padEnd(2, "0")) : null;
}
