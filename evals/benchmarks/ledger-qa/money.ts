/**
 * Exact decimal money: integers of the smallest unit, never binary fractions.
 *
 * Sums are formed over `bigint` units of 10^-scale. Printing rounds half to even at two decimals (1.005 → "1.00",
 * 1.015 → "1.02"); the generator's own amounts are whole cents, so rounding only ever meets foreign ledgers.
 */
import { UmaError } from "../../../base/errors.ts";

const decimalPattern = /^(\d+)(?:\.(\d+))?$/;

/** Decimal places written in an amount such as "12.5"; throws `input` on anything but plain digits. */
export function decimalsOf(amount: string): number {
  return split(amount).fraction.length;
}

/** "12.5" at scale 2 → 1250n. The scale must be at least the amount's own number of decimals. */
export function toUnits(amount: string, scale: number): bigint {
  const { whole, fraction } = split(amount);
  if (fraction.length > scale) throw new RangeError(`toUnits: ${amount} does not fit scale ${scale}`);
  return BigInt(whole + fraction.padEnd(scale, "0"));
}

/** Units of 10^-scale as a string with two decimals, half to even. Negative units are not money here and throw. */
export function formatUnits(units: bigint, scale: number): string {
  if (units < 0n || scale < 2)
    throw new RangeError(`formatUnits: expected units ≥ 0 and scale ≥ 2, got ${units}, ${scale}`);
  const step = 10n ** BigInt(scale - 2);
  let cents = units / step;
  const rest = (units % step) * 2n;
  if (rest > step || (rest === step && cents % 2n === 1n)) cents += 1n;
  const digits = cents.toString().padStart(3, "0");
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/** 1250 → "12.50". */
export const formatCents = (cents: number): string => formatUnits(BigInt(cents), 2);

function split(amount: string): { whole: string; fraction: string } {
  const match = decimalPattern.exec(amount);
  if (!match)
    throw new UmaError("input", `expected an amount such as 12.50, got ${JSON.stringify(amount)}`, {
      fix: "write amounts as plain digits with at most one decimal point, without sign, exponent or currency",
    });
  return { whole: match[1]!, fraction: match[2] ?? "" };
}
