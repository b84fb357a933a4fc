/**
 * The habit panel: one small chart per habit, with what it was before training and what it is after.
 *
 * The thin line is measured on each update's training sessions, the marks on the sampled held-out evaluations.
 */
import { percent } from "../../../evals/reports/format-number.ts";
import { escapeHtml } from "../../../evals/reports/html/escape-html.ts";
import { habits } from "../../habits/catalog.ts";
import type { Habit } from "../../habits/habit.ts";
import type { HabitRates } from "../../run/metrics-line.ts";
import { type StepSeries, stepChart } from "../charts/step-chart.ts";
import type { TrainingLog } from "../read-training.ts";
import { habitRate } from "../tables.ts";
import type { HabitChange, TrainingSummary } from "../training-summary.ts";
import { numbersBehind } from "./curve-figure.ts";

const groups = [
  { good: "high", title: "Needed: these should stay or rise" },
  { good: "low", title: "Unwanted: these should fall" },
  { good: null, title: "Neither" },
] as const;

export function habitPanel(log: TrainingLog, { habits: changes }: TrainingSummary, last: number): string {
  const occasions = (name: string) =>
    [...log.metrics, ...log.evaluations].reduce((sum, line) => sum + (line.habits[name]?.occasions ?? 0), 0);
  const parts = groups.flatMap(({ good, title }) => {
    const members = habits.filter((habit) => habit.good === good && occasions(habit.name) > 0);
    const figures = members.map((habit) => {
      const change = changes.find(({ name }) => name === habit.name)!;
      return habitFigure(habit, change, log, last);
    });
    return figures.length === 0 ? [] : [`<h3>${title}</h3>`, `<div class="panel-grid">${figures.join("\n")}</div>`];
  });
  const without = habits.filter(({ name }) => occasions(name) === 0);
  return [
    ...parts,
    without.length === 0
      ? ""
      : `<p class="note">Without an occasion in this run: ${escapeHtml(without.map(({ label }) => label).join(", "))}.</p>`,
  ].join("\n");
}

function habitFigure(habit: Habit, change: HabitChange, log: TrainingLog, last: number): string {
  const rates = (label: string, lines: readonly { update: number; habits: HabitRates }[]) => ({
    label,
    points: lines.map((line) => ({ x: line.update, y: line.habits[habit.name]?.rate ?? null })),
  });
  const series: StepSeries[] = [
    { ...rates("training sessions", log.metrics), look: 5, thin: true },
    {
      ...rates("held-out evaluations", log.evaluations),
      look: habit.good === "high" ? 2 : habit.good === "low" ? 1 : 0,
    },
  ];
  const format = habit.kind === "share" ? percent : (value: number) => value.toFixed(2);
  const label = `${habit.label}${habit.kind === "share" ? ", × 100" : ""}`;
  return [
    `<figure id="habit-${habit.name}">`,
    `<figcaption>${escapeHtml(label)}</figcaption>`,
    `<p class="habit-change">${changeHtml(change)}</p>`,
    stepChart(series, {
      label,
      format,
      last,
      width: 300,
      height: 130,
      ...(habit.kind === "share" && { max: 1 }),
    }),
    `<p class="habit-help">${escapeHtml(habit.help)}</p>`,
    numbersBehind(label, series, format),
    "</figure>",
  ].join("\n");
}

function changeHtml(change: HabitChange): string {
  const rate = (value: HabitChange["before"]) => `<b>${habitRate(change, value)}</b>`;
  const trend = change.trend === null ? "" : ` <span class="trend ${change.trend}">${change.trend}</span>`;
  return change.after === null ? rate(change.before) : `${rate(change.before)} → ${rate(change.after)}${trend}`;
}
