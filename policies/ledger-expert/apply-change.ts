/**
 * Corrections, edits and refunds: which expense of a day is meant, and what becomes of it.
 *
 * A change names the thing. Where it names two amounts, the one that stands in the ledger is the old one, whatever the
 * order of the words; so "from 5 to 4" and "4, not 5" are read alike.
 */

import type { Spending } from "./spending.ts";
import type { Thing } from "./things.ts";

export interface Change {
  /** `amount`: it was another one. `refund`: money came back. */
  readonly kind: "amount" | "refund";
  /** The day of the expense. */
  readonly date: string;
  readonly thing: Thing | null;
  /** All that the line names, in order. */
  readonly amounts: readonly number[];
  /** The one of them that stood before, where the words say which. */
  readonly former?: number;
  /** A refund of everything. */
  readonly whole: boolean;
}

/** The day's expenses after the change, or null when the line cannot be about any of them. */
export function applyChange(day: readonly Spending[], change: Change): Spending[] | null {
  const target = findTarget(day, change);
  if (!target) return null;
  const after = amountAfter(target.cents, change);
  if (after === null || after < 0) return null;
  return day.flatMap((spending) =>
    spending !== target ? [spending] : after === 0 ? [] : [{ ...spending, cents: after }],
  );
}

function findTarget(day: readonly Spending[], { thing, amounts }: Change): Spending | null {
  const candidates = thing ? day.filter(({ subscene }) => subscene === thing.subscene) : day;
  if (thing && candidates.length < 2) return candidates[0] ?? null;
  const standing = candidates.filter(({ cents }) => amounts.includes(cents));
  if (standing.length > 0)
    // two of them stand: a refund is less than what was paid
    return standing.reduce((most, spending) => (spending.cents > most.cents ? spending : most));
  const sameWords = candidates.filter(({ note }) => thing !== null && note === thing.words);
  return sameWords.length === 1 ? sameWords[0]! : null;
}

/** 0 when nothing is left of it, null when the line does not say. */
function amountAfter(standing: number, { kind, amounts, whole }: Change): number | null {
  const others = amounts.filter((cents) => cents !== standing);
  if (kind === "refund") {
    if (whole || amounts.length === 0) return 0;
    const back = others[0] ?? amounts[0]!;
    return standing - back;
  }
  if (others.length === 1) return others[0]!;
  return others.length === 0 && amounts.length > 0 ? standing : null;
}
