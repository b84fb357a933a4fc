/** A training run's tables: drawn alike for the terminal and the page. */
import { absent, duration, percent, probability, signedPercent, whole } from "../../evals/reports/format-number.ts";
import { number, type ReportTable, text } from "../../evals/reports/tables/report-table.ts";
import type { PairedDifference } from "../../evals/statistics/paired-difference.ts";
import { habits } from "../habits/catalog.ts";
import type { Estimate, HabitRates } from "../run/metrics-line.ts";
import type { HabitChange, TrainingSummary } from "./training-summary.ts";

export function evaluationTable({ evaluations, best }: TrainingSummary): ReportTable {
  const greedy = evaluations.some((line) => line.greedy !== null);
  return {
    id: "evaluations",
    title: "Held-out evaluations",
    note: "Outcome × 100 with its 95 % interval, clustered by context. Sampled: tokens drawn at temperature 1, one rollout per context. Greedy: the most probable token each time. * has the highest sampled outcome: the best checkpoint, chosen on these contexts, so that its score flatters it.",
    columns: [
      text("After update"),
      number("Sampled"),
      ...(greedy ? [number("Greedy")] : []),
      number("Validity"),
      number("Questions"),
      number("Contexts"),
    ],
    rows: evaluations.map((line) => ({
      cells: [
        `${line.update}${line === best && evaluations.length > 1 ? " *" : ""}`,
        estimate(line.sampled),
        ...(greedy ? [line.greedy === null ? absent : estimate(line.greedy)] : []),
        percent(line.validity),
        whole(line.sampled.n),
        whole(line.sampled.contexts),
      ],
    })),
  };
}

export const estimate = ({ mean, low, high }: Estimate): string =>
  low === null || high === null ? percent(mean) : `${percent(mean)} [${percent(low)}, ${percent(high)}]`;

export function gainTable({ gain, first, last }: TrainingSummary): ReportTable[] {
  const rows = (["sampled", "greedy"] as const).flatMap((kind) => {
    const difference = gain[kind];
    return difference === null ? [] : [{ cells: [kind, ...gainCells(difference)] }];
  });
  if (rows.length === 0) return [];
  return [
    {
      id: "gain",
      title: `From update ${first!.update} to update ${last!.update}`,
      note: "Mean difference × 100 over the questions that both evaluations scored; interval and p-value (sign flips) clustered by context.",
      columns: [text(""), number("Difference"), number("p"), number("Better"), number("Worse"), number("Same")],
      rows,
    },
  ];
}

const gainCells = ({ mean, low, high, p, wins, losses, ties }: PairedDifference) => [
  low === null || high === null
    ? signedPercent(mean)
    : `${signedPercent(mean)} [${signedPercent(low)}, ${signedPercent(high)}]`,
  probability(p),
  whole(wins),
  whole(losses),
  whole(ties),
];

/** Habits that had an occasion at either end; without those that are clean at both, where `clean` is false. */
export function habitTable(summary: TrainingSummary, { clean = true }: { readonly clean?: boolean } = {}): ReportTable {
  const [before, after] = [summary.first?.update ?? 0, summary.last?.update ?? 0];
  const twice = before !== after;
  const left = new Set(clean ? [] : cleanHabits(summary));
  const shown = summary.habits.filter((change) => isTold(change) && !left.has(change));
  return {
    id: "habits",
    title: "Habits",
    note: "Shares × 100 with their number of occasions, in the sampled evaluation. Better or worse: by more than two standard errors, with ten occasions or more, taken as independent.",
    columns: [
      text("Habit"),
      text("Should be"),
      number(`After update ${before}`),
      ...(twice ? [number(`After update ${after}`), text("")] : []),
    ],
    rows: shown.map((change) => {
      const habit = habits.find(({ name }) => name === change.name);
      return {
        cells: [
          habit?.label ?? change.name,
          habit?.good ?? absent,
          habitRate(change, change.before),
          ...(twice ? [habitRate(change, change.after), change.trend ?? ""] : []),
        ],
      };
    }),
  };
}

/** At 0 where they should be low, at 1 where they should be high, before and after. */
export const cleanHabits = ({ habits: changes }: TrainingSummary) =>
  changes.filter((change) => isTold(change) && isClean(change));

const isTold = ({ before, after }: HabitChange) => Boolean(before?.occasions || after?.occasions);

function isClean({ name, before, after }: HabitChange): boolean {
  const good = habits.find((habit) => habit.name === name)?.good ?? null;
  const ideal = good === "low" ? 0 : good === "high" ? 1 : null;
  return ideal !== null && [before, after].every((rate) => (rate?.rate ?? ideal) === ideal);
}

export function habitRate({ name }: Pick<HabitChange, "name">, rate: HabitRates[string] | null): string {
  if (rate === null || rate.rate === null) return absent;
  const mean = habits.find((habit) => habit.name === name)?.kind === "mean";
  return `${mean ? rate.rate.toFixed(2) : percent(rate.rate)} (${whole(rate.occasions)})`;
}

/** What it was, and what it took: name and value. */
export function trainingFacts(summary: TrainingSummary): (readonly [string, string])[] {
  const { config, updates, tokens, sessions, seconds } = summary;
  return [
    ["recipe", `${config.recipe.name}${config.scale ? `, scale ${config.scale}` : ""}`],
    ["seed", String(config.seed)],
    [
      "updates",
      `${whole(updates.done)} of ${whole(updates.planned)}${updates.skipped > 0 ? `, ${whole(updates.skipped)} of them without a step` : ""}`,
    ],
    [
      "sessions",
      `${whole(sessions.memory)} building, ${whole(sessions.qa)} answering${sessions.failed > 0 ? `, ${whole(sessions.failed)} failed` : ""}`,
    ],
    ["tokens", `${whole(tokens.sampled)} sampled, ${whole(tokens.prompt)} read`],
    ["time", seconds === null ? absent : duration(seconds * 1_000)],
  ];
}
