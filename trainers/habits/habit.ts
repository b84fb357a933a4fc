/** A habit: something that a policy does again and again, counted from events and apart from whether the answer was right. */
import type { HabitRates } from "../run/metrics-line.ts";

export interface Habit {
  /** Its key in metrics.jsonl. */
  readonly name: string;
  readonly label: string;
  /** What counts, and out of what. */
  readonly help: string;
  /** Which way is better; null where neither is. */
  readonly good: "low" | "high" | null;
  /** `share` of the occasions, in [0, 1], or `mean` of a number over them. */
  readonly kind: "share" | "mean";
}

/** Sums and numbers of occasions, by habit. */
export interface Tally {
  /** `value`: true or false for a share, a number for a mean. One occasion. */
  count(habit: string, value: boolean | number): void;
  /** Every habit of `habits`, in their order; a rate of null where there was no occasion. */
  rates(habits: readonly Habit[]): HabitRates;
}

export function createTally(): Tally {
  const counts = new Map<string, { sum: number; occasions: number }>();
  return {
    count(habit, value) {
      const held = counts.get(habit) ?? { sum: 0, occasions: 0 };
      counts.set(habit, { sum: held.sum + Number(value), occasions: held.occasions + 1 });
    },
    rates: (habits) =>
      Object.fromEntries(
        habits.map(({ name }) => {
          const { sum, occasions } = counts.get(name) ?? { sum: 0, occasions: 0 };
          return [name, { rate: occasions === 0 ? null : sum / occasions, occasions }];
        }),
      ),
  };
}
