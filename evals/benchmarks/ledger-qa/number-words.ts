/**
 * English number words, written and read: 42 → "forty-two", "twelve fifty" → 12.50.
 *
 * Reading finds every amount that words in a text can mean, so a rewriter can neither hide nor smuggle one in. A bare
 * "one" is a pronoun far more often than an amount ("the one from Monday") and counts only beside a unit or another number.
 */

const ones = [
  "zero",
  "one",
  "two",
  "three",
  "four",
  "five",
  "six",
  "seven",
  "eight",
  "nine",
  "ten",
  "eleven",
  "twelve",
  "thirteen",
  "fourteen",
  "fifteen",
  "sixteen",
  "seventeen",
  "eighteen",
  "nineteen",
];
const tens = ["", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"];
const scale: Readonly<Record<string, number>> = { hundred: 100, thousand: 1000, grand: 1000, million: 1_000_000 };
/** Vague quantities: an amount all the same when a rewriter puts one where none was. */
const vague: Readonly<Record<string, number>> = {
  dozen: 12,
  dozens: 12,
  hundreds: 100,
  thousands: 1000,
  millions: 1_000_000,
};

const wordValue = new Map<string, number>([
  ...ones.map((word, value) => [word, value] as const),
  ...tens.flatMap((word, ten) => (word === "" ? [] : [[word, ten * 10] as const])),
]);

/** 0 ≤ n < 10,000 in words. */
export function numberToWords(n: number): string {
  if (!Number.isInteger(n) || n < 0 || n >= 10_000) throw new RangeError(`numberToWords: expected 0..9999, got ${n}`);
  if (n < 20) return ones[n]!;
  if (n < 100) return n % 10 === 0 ? tens[n / 10]! : `${tens[Math.floor(n / 10)]}-${ones[n % 10]}`;
  const [unit, name] = n < 1000 ? [100, "hundred"] : [1000, "thousand"];
  const rest = n % unit;
  return `${numberToWords(Math.floor(n / unit))} ${name}${rest === 0 ? "" : ` ${numberToWords(rest)}`}`;
}

export interface FoundAmount {
  readonly cents: number;
  /** UTF-16 offset of its first character. */
  readonly at: number;
}

/**
 * Amounts that number words in the text stand for, in order.
 *
 * "twelve dollars and fifty cents" and "twelve fifty" are 1250; "one hundred and five" is 10500; "three ninety-nine" 399.
 */
export function amountsInWords(text: string): FoundAmount[] {
  const found = [...text.matchAll(/\p{L}+|[^\p{L}\s-]+/gu)];
  const tokens = found.map(([token]) => token.toLowerCase());
  const amounts: FoundAmount[] = [];
  let at = 0;
  while (at < tokens.length) {
    const number = readNumber(tokens, at);
    if (!number) {
      at++;
      continue;
    }
    let { end } = number;
    let cents = number.value * 100;
    const unit = tokens[end];
    if (isDollars(unit)) {
      end++;
      const joined = tokens[end] === "and" || tokens[end] === "," ? end + 1 : end;
      const small = readNumber(tokens, joined);
      if (small && isCents(tokens[small.end])) {
        cents += small.value;
        end = small.end + 1;
      }
    } else if (isCents(unit)) {
      cents = number.value;
      end++;
    } else {
      const small = readNumber(tokens, end);
      // "twelve fifty": a second number of two digits straight after the first is its cents
      if (small && number.value < 1000 && small.value >= 10 && small.value < 100) {
        cents += small.value;
        end = isDollars(tokens[small.end]) ? small.end + 1 : small.end;
      } else if (number.value === 1 && end === at + 1) {
        at = end;
        continue;
      }
    }
    amounts.push({ cents, at: found[at]!.index });
    at = end;
  }
  return amounts;
}

const isDollars = (token: string | undefined) => token !== undefined && /^(dollars?|bucks?|usd)$/.test(token);
const isCents = (token: string | undefined) => token !== undefined && /^cents?$/.test(token);

/** The longest well-formed number starting at `at`: "forty two", "one hundred and five", "two thousand three hundred". */
function readNumber(tokens: readonly string[], at: number): { value: number; end: number } | null {
  const first = tokens[at];
  if (first === undefined) return null;
  if (vague[first] !== undefined) return { value: vague[first], end: at + 1 };
  if (first === "a" || first === "half") {
    const next = tokens[at + 1];
    if (next === undefined || (scale[next] === undefined && vague[next] === undefined)) return null;
  } else if (wordValue.get(first) === undefined && scale[first] === undefined) return null;

  let total = 0;
  let below = 0;
  let end = at;
  for (let i = at; i < tokens.length; i++) {
    const token = tokens[i]!;
    const value = wordValue.get(token);
    const factor = scale[token] ?? vague[token];
    if (i === at && (token === "a" || token === "half")) below = 1;
    else if (factor !== undefined) {
      below = Math.max(below, 1) * factor;
      if (factor >= 1000) {
        total += below;
        below = 0;
      }
      end = i + 1;
    } else if (value !== undefined) {
      const room = below % 100;
      const fits = room === 0 || (room >= 20 && room % 10 === 0 && value > 0 && value < 10);
      if (!fits) break;
      below += value;
      end = i + 1;
    } else if (token === "and" && below + total >= 100 && wordValue.has(tokens[i + 1] ?? "")) continue;
    else break;
  }
  return { value: total + below, end };
}
