/**
 * The eight question types and their exact answers, computed from the structured ledger (UMA §3.1, App. C.3).
 *
 * Ranges include both ends. Sums print as "%.2f"; "0.00" is a legal answer. Ties are all given, sorted, joined by ", ".
 * Two amounts are equal when they are equal as decimals, so 0.10 + 0.20 ties with 0.30. `single_date_subscene_amount` is
 * the paper's point query, which its released generator does not draw; it is off unless asked for.
 */
import { UmaError } from "../../../base/errors.ts";
import type { Spending } from "./ledger.ts";
import { decimalsOf, formatUnits, toUnits } from "./money.ts";

export const questionTypes = [
  "time_range_scene_amount",
  "time_range_multiple_scenes_amount",
  "time_range_total_amount",
  "max_scene",
  "max_frequency_date",
  "max_single_amount",
  "single_date_scene_amount",
  "total_amount",
  "single_date_subscene_amount",
] as const;
export type QuestionType = (typeof questionTypes)[number];

/** A question before its wording. `dates`: two for a range, one for a day, none for the whole ledger. */
export interface Query {
  readonly type: QuestionType;
  readonly scenes: readonly string[];
  readonly dates: readonly string[];
  readonly subscene?: string;
}

/** A ledger made ready for many questions: amounts as integers of one scale. */
export interface CountedLedger {
  readonly scale: number;
  readonly spendings: readonly CountedSpending[];
}

export interface CountedSpending {
  readonly date: string;
  readonly scene: string;
  readonly subscene: string;
  readonly units: bigint;
}

export function countLedger(spendings: readonly Spending[]): CountedLedger {
  const scale = spendings.reduce((most, { amount }) => Math.max(most, decimalsOf(amount)), 2);
  return {
    scale,
    spendings: spendings.map(({ date, scene, subscene, amount }) => ({
      date,
      scene,
      subscene,
      units: toUnits(amount, scale),
    })),
  };
}

/** Whether a transaction belongs to what the query is about, by date and category. */
export function concerns(
  query: Query,
  { date, scene, subscene }: Pick<CountedSpending, "date" | "scene" | "subscene">,
): boolean {
  const [from, to = from] = query.dates;
  if (from !== undefined && (date < from || date > to!)) return false;
  if (query.subscene !== undefined && subscene !== query.subscene) return false;
  return query.scenes.length === 0 || query.scenes.includes(scene);
}

/** The gold answer. Throws `input` when the query has none: a maximum over no transactions. */
export function answerQuery({ scale, spendings }: CountedLedger, query: Query): string {
  const found = spendings.filter((spending) => concerns(query, spending));
  switch (query.type) {
    case "max_scene":
      return largest(
        tally(
          found,
          ({ scene }) => scene,
          ({ units }) => units,
        ),
        query,
      ).join(", ");
    case "max_frequency_date":
      return largest(
        tally(
          found,
          ({ date }) => date,
          () => 1n,
        ),
        query,
      ).join(", ");
    case "max_single_amount":
      return formatUnits(largest(new Map(found.map(({ units }) => [units, units])), query)[0]!, scale);
    default:
      return formatUnits(
        found.reduce((sum, { units }) => sum + units, 0n),
        scale,
      );
  }
}

function tally(
  spendings: readonly CountedSpending[],
  key: (spending: CountedSpending) => string,
  weight: (spending: CountedSpending) => bigint,
): Map<string, bigint> {
  const sums = new Map<string, bigint>();
  for (const spending of spendings) sums.set(key(spending), (sums.get(key(spending)) ?? 0n) + weight(spending));
  return sums;
}

/** Every key with the largest value, sorted by code unit. */
function largest<Key>(sums: ReadonlyMap<Key, bigint>, query: Query): Key[] {
  let top: bigint | null = null;
  for (const value of sums.values()) if (top === null || value > top) top = value;
  if (top === null)
    throw new UmaError("input", `${query.type} has no answer: no transaction matches ${JSON.stringify(query)}`, {
      fix: "ask about a range or a category that has transactions",
    });
  return [...sums].flatMap(([key, value]) => (value === top ? [key] : [])).sort();
}
