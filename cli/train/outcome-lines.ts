/** The end of a training run in words: scores, the habits that moved, where everything is, how to go on. */
import { habits } from "../../trainers/habits/catalog.ts";
import type { HabitRates } from "../../trainers/run/metrics-line.ts";
import { count, estimateText, habitText } from "./training-lines.ts";
import type { TrainingOutcome } from "./training-outcome.ts";

export function outcomeLines(outcome: TrainingOutcome): string[] {
  const { initial, final, best, updates, minutes, end, halted } = outcome;
  const when = (update: number) => (update === 0 ? "at the start" : `after ${count(update, "update")}`);
  const score = (name: string, of: TrainingOutcome["final"]) =>
    of === null
      ? []
      : [
          `${name} ${estimateText(of.sampled)} sampled${of.greedy === null ? "" : `, ${estimateText(of.greedy)} greedy`} ${when(of.update)}`,
        ];
  return [
    `${end === "complete" ? "complete" : end}: ${count(updates, "update")} in ${minutes.toFixed(1)} minutes`,
    ...score("  first ", initial),
    ...(final?.update === initial?.update ? [] : score("  last  ", final)),
    ...(best === null || best.update === final?.update ? [] : score("  best  ", best)),
    ...habitLines(outcome.habits),
    ...(halted === null ? [] : [`halted by ${halted.reason}: ${halted.sentence}`]),
  ];
}

/** A change smaller than this is not told; the report has them all. */
const LEAST_CHANGE = 0.01;

function habitLines({ before, after }: TrainingOutcome["habits"]): string[] {
  if (before === null || after === null || before === after) return [];
  const rate = (rates: HabitRates, name: string) => rates[name]?.rate ?? null;
  return habits
    .filter(({ name }) => {
      const [one, other] = [rate(before, name), rate(after, name)];
      return one !== null && other !== null && Math.abs(other - one) >= LEAST_CHANGE;
    })
    .map(({ name, label, kind, good }) => {
      const rose = rate(after, name)! > rate(before, name)!;
      const verdict = good === null ? "" : rose === (good === "high") ? "better" : "worse";
      return `  habit  ${label}: ${habitText(before, name, kind)} → ${habitText(after, name, kind)}${verdict && ` (${verdict})`}`;
    });
}
