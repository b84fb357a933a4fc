/** A training run in words: a line per update and per evaluation, and the panel that a terminal shows all the time. */
import { absent, percent, whole } from "../../evals/reports/format-number.ts";
import { habits } from "../../trainers/habits/catalog.ts";
import type { Estimate, EvaluationLine, HabitRates, MetricsLine } from "../../trainers/run/metrics-line.ts";
import { bestEvaluation, inOrder, secondsLeft, type TrainingView } from "./training-view.ts";

/** For logs, and above the panel of a terminal nothing else is needed. */
export function updateLine(view: TrainingView, line: MetricsLine): string {
  const { update, outcome, reward, validity, skipped } = line;
  const left = secondsLeft(view);
  return [
    `update ${update}/${view.updates}: outcome ${outcomeText(outcome)}`,
    `reward ${number(reward.memory)} memory ${number(reward.qa)} QA`,
    `valid ${percentOf(validity.memory)} / ${percentOf(validity.qa)}`,
    ...(skipped === null ? [stepText(line.steps)] : [`no step: ${skipped}`]),
    speedText(view, update),
    ...(left === null || update >= view.updates ? [] : [`${clock(left)} left`]),
  ].join(" · ");
}

export function evaluationLine(view: TrainingView, { update, sampled, greedy, weights }: EvaluationLine): string {
  const best = bestEvaluation(view);
  return [
    update === 0 ? "at the start: " : `after ${count(update, "update")}: `,
    `${estimateText(sampled)} sampled`,
    greedy === null ? "" : `, ${estimateText(greedy)} greedy`,
    ` (${sampled.contexts} held-out contexts)`,
    best?.weights === weights && update > 0 ? " · best so far" : "",
  ].join("");
}

/** Lines of at most `width` columns are the terminal's business. `elapsed` in seconds. */
export function panelLines(view: TrainingView, elapsed: number): string[] {
  const metrics = inOrder(view.metrics);
  const last = metrics.at(-1);
  const left = secondsLeft(view);
  const title = [
    `umagraph train ${view.name} · seed ${view.seed}`,
    activity(view),
    `${clock(elapsed)}${left === null ? "" : `, about ${clock(left)} left`}`,
  ].join(" · ");
  if (!last) return [title, ...evaluationRows(view)];
  const trend = (pick: (line: MetricsLine) => number | null) => sparkline(metrics.map(pick));
  return [
    title,
    row("outcome", `${outcomeText(last.outcome)}  ${trend((line) => line.outcome)}`),
    row(
      "reward",
      `memory ${number(last.reward.memory)} ${trend((line) => line.reward.memory)}  QA ${number(last.reward.qa)} ${trend((line) => line.reward.qa)}`,
    ),
    row(
      "valid calls",
      `memory ${percentOf(last.validity.memory)} ${trend((line) => line.validity.memory)}  QA ${percentOf(last.validity.qa)} ${trend((line) => line.validity.qa)}`,
    ),
    row(`step ${last.update}`, last.skipped === null ? stepText(last.steps) : `none: ${last.skipped}`),
    row(
      "signal",
      `${whole(last.zeroAdvantage)} of ${whole(last.sessions.memory + last.sessions.qa)} sessions with an advantage of 0, ${percentOf(last.flatGroups)} of groups without spread`,
    ),
    row("tokens", `${whole(last.tokens.sampled)} sampled, ${speedText(view, last.update)}`),
    ...habitRows(metrics),
    ...evaluationRows(view),
    ...last.warnings.map((warning) => row("warning", warning)),
  ];
}

const NAME = 12;
const row = (name: string, text: string) => `  ${name.padEnd(NAME)} ${text}`;

function activity({ now, sessions, updates }: TrainingView): string {
  if (now === null) return "opening";
  const of =
    sessions === null ? "" : ` ${whole(sessions.done)}${sessions.total === null ? "" : `/${whole(sessions.total)}`}`;
  const what = sessions?.what === "greedy" ? "evaluating (greedy)" : doing[now.step];
  const place = now.step === "evaluate" ? `after update ${now.update}/${updates}` : `update ${now.update}/${updates}`;
  return `${place}: ${what}${of}`;
}

const doing = {
  collect: "sampling",
  reward: "rewarding",
  advantage: "comparing",
  batch: "batching",
  update: "training",
  publish: "publishing",
  evaluate: "evaluating",
} as const;

/** Those that moved most since the first update, and those that are most frequent. */
const SHOWN_HABITS = 4;

function habitRows(metrics: readonly MetricsLine[]): string[] {
  const [first, last] = [metrics[0]!.habits, metrics.at(-1)!.habits];
  const known = habits.filter(({ name }) => last[name]?.rate != null);
  const moved = (name: string) => Math.abs((last[name]?.rate ?? 0) - (first[name]?.rate ?? 0));
  return known
    .toSorted((one, other) => moved(other.name) - moved(one.name))
    .slice(0, SHOWN_HABITS)
    .map(({ name, label, kind, good }) => {
      const text = habitText(last, name, kind);
      const wanted = good === null ? "" : ` (${good === "high" ? "more" : "less"} is better)`;
      return row(
        "habit",
        `${label}${wanted}: ${text}  ${sparkline(metrics.map((line) => line.habits[name]?.rate ?? null))}`,
      );
    });
}

export const habitText = (rates: HabitRates, name: string, kind: "share" | "mean"): string => {
  const rate = rates[name]?.rate ?? null;
  return kind === "share" ? percentOf(rate) : number(rate);
};

function evaluationRows(view: TrainingView): string[] {
  const lines = inOrder(view.evaluations);
  const best = bestEvaluation(view);
  // the start, the best and the last are what a run is judged by
  const shown = lines.filter((line, at) => at === 0 || at === lines.length - 1 || line === best);
  return shown.map((line) => row("held out", evaluationLine(view, line)));
}

function stepText(steps: MetricsLine["steps"]): string {
  const mean = (pick: (step: MetricsLine["steps"][number]) => number | null) => {
    const values = steps.map(pick).filter((value) => value !== null);
    return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
  };
  return [
    `KL ${small(mean(({ klRef }) => klRef))} (start) ${small(mean(({ klOld }) => klOld))} (sampler)`,
    `clip ${percentOf(mean(({ clipShare }) => clipShare))}`,
    `entropy ${number(mean(({ entropy }) => entropy))}`,
    `gradient ${number(mean(({ gradNorm }) => gradNorm))}`,
  ].join(" · ");
}

function speedText({ timing }: TrainingView, update: number): string {
  const speed = timing.get(update)?.tokensPerSecond ?? null;
  return speed === null ? `${absent} tokens/s` : `${whole(speed)} tokens/s`;
}

export const estimateText = ({ mean, low, high }: Estimate): string =>
  `${percentOf(mean)}${low === null || high === null ? "" : ` [${percent(low)}, ${percent(high)}]`}`;

const percentOf = (share: number | null) => (share === null ? absent : `${percent(share)} %`);
/** A reward that holds a bonus is no share. */
const outcomeText = (outcome: number | null) =>
  outcome !== null && outcome > 1 ? number(outcome) : percentOf(outcome);
const number = (value: number | null) => (value === null ? absent : value.toFixed(3).replace("-", "−"));
/** KL terms live near zero. */
const small = (value: number | null) => (value === null ? absent : value.toPrecision(2).replace("-", "−"));

export const count = (n: number, word: string) => `${whole(n)} ${word}${n === 1 ? "" : "s"}`;

export function clock(seconds: number): string {
  const s = Math.ceil(seconds);
  if (s < 60) return `${s} s`;
  if (s < 3_600) return `${Math.floor(s / 60)} min ${s % 60} s`;
  return `${Math.floor(s / 3_600)} h ${Math.floor((s % 3_600) / 60)} min`;
}

const BARS = "▁▂▃▄▅▆▇█";
const MOST_BARS = 24;

/** The last values between their own least and greatest; a gap where there is none. */
export function sparkline(values: readonly (number | null)[]): string {
  const shown = values.slice(-MOST_BARS);
  const known = shown.filter((value) => value !== null);
  if (known.length < 2) return "";
  const [least, most] = [Math.min(...known), Math.max(...known)];
  return shown
    .map((value) =>
      value === null
        ? " "
        : BARS[most === least ? 0 : Math.round(((value - least) / (most - least)) * (BARS.length - 1))],
    )
    .join("");
}
