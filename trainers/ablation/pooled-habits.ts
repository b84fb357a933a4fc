/** Habits of several evaluations as one: every occasion counts the same, whichever run it is of. */
import type { HabitRates } from "../run/metrics-line.ts";

/** Absent where no evaluation has it; a rate of null where none had an occasion. */
export function pooledHabits(evaluations: readonly HabitRates[]): HabitRates {
  const names = [...new Set(evaluations.flatMap((rates) => Object.keys(rates)))];
  return Object.fromEntries(
    names.map((name) => {
      const seen = evaluations.flatMap(({ [name]: of }) => (of && of.rate !== null ? [{ ...of, rate: of.rate }] : []));
      const occasions = seen.reduce((sum, of) => sum + of.occasions, 0);
      const sum = seen.reduce((sum, { rate, occasions }) => sum + rate * occasions, 0);
      return [name, { rate: occasions === 0 ? null : sum / occasions, occasions }];
    }),
  );
}
