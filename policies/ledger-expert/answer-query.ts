/** Answers a query from expenses at hand, and puts results into words. */
import { formatCents } from "./amounts.ts";
import type { Query } from "./read-query.ts";
import type { Spending } from "./spending.ts";
import type { Scene } from "./taxonomy.ts";

/** `spendings`: all that can matter for the query; others are left out here. */
export function answerFromSpendings(spendings: readonly Spending[], query: Query): string | null {
  const found = spendings.filter(
    ({ date, scene, subscene }) =>
      (query.range === null || (date >= query.range.from && date <= query.range.to)) &&
      (query.scenes.length === 0 || query.scenes.includes(scene)) &&
      (query.subscene === null || query.subscene === subscene),
  );
  switch (query.asks) {
    case "sum":
      return formatCents(found.reduce((sum, { cents }) => sum + cents, 0));
    case "largest":
      return found.length === 0 ? null : formatCents(Math.max(...found.map(({ cents }) => cents)));
    case "top scene":
      return listTop(tally(found.map(({ scene, cents }) => [scene, cents])));
    default:
      return listTop(tally(found.map(({ date }) => [date, 1])));
  }
}

/** The sum of the scenes asked for; all of them when none is named. */
export function sumOf(totals: ReadonlyMap<Scene, number>, named: readonly Scene[]): number {
  let sum = 0;
  for (const [scene, cents] of totals) if (named.length === 0 || named.includes(scene)) sum += cents;
  return sum;
}

/** Every key with the largest value, sorted, joined by ", "; null when there is none. */
export function listTop(values: ReadonlyMap<string, number>): string | null {
  if (values.size === 0) return null;
  const most = Math.max(...values.values());
  return [...values]
    .flatMap(([key, value]) => (value === most ? [key] : []))
    .sort()
    .join(", ");
}

function tally(pairs: readonly (readonly [key: string, weight: number])[]): Map<string, number> {
  const sums = new Map<string, number>();
  for (const [key, weight] of pairs) sums.set(key, (sums.get(key) ?? 0) + weight);
  return sums;
}

/** The reply that ends a session: where the answer comes from, and the answer; `answer` null is "there is none". */
export const reply = (answer: string | null, from: string): string =>
  answer === null ? `${from} holds no such expense: \\boxed{none}` : `From ${from}: \\boxed{${answer}}`;
