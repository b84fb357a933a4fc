/** What a watcher of a training run knows: the lines so far, and what is going on now. Events go in, texts are made of it. */
import type { TrainingEvent } from "../../trainers/run/deps.ts";
import type { EvaluationLine, MetricsLine, TimingLine } from "../../trainers/run/metrics-line.ts";
import type { StepName } from "../../trainers/run/state.ts";

export interface TrainingView {
  /** Of the recipe: what the run is called, and when it is complete. */
  readonly name: string;
  readonly seed: number;
  readonly updates: number;
  readonly sampledTokens: number | null;
  readonly evaluateEvery: number;
  /** By update; a line that is written again takes the place of the old one. */
  readonly metrics: ReadonlyMap<number, MetricsLine>;
  readonly evaluations: ReadonlyMap<number, EvaluationLine>;
  readonly timing: ReadonlyMap<number, TimingLine>;
  readonly now: { readonly step: StepName; readonly update: number } | null;
  readonly sessions: { readonly what: string; readonly done: number; readonly total: number | null } | null;
}

export interface ViewOptions {
  readonly recipe: {
    readonly name: string;
    readonly updates: number;
    readonly sampledTokens: number | null;
    readonly evaluation: { readonly every: number };
  };
  readonly seed: number;
  /** What the run folder holds already. */
  readonly metrics?: readonly MetricsLine[];
  readonly evaluations?: readonly EvaluationLine[];
  readonly timing?: readonly TimingLine[];
}

export function trainingView({ recipe, seed, metrics = [], evaluations = [], timing = [] }: ViewOptions): TrainingView {
  const byUpdate = <Line extends { readonly update: number }>(lines: readonly Line[]) =>
    new Map(lines.map((line) => [line.update, line]));
  return {
    ...{ name: recipe.name, updates: recipe.updates, sampledTokens: recipe.sampledTokens, seed },
    evaluateEvery: recipe.evaluation.every,
    metrics: byUpdate(metrics),
    evaluations: byUpdate(evaluations),
    timing: byUpdate(timing),
    now: null,
    sessions: null,
  };
}

export function seen(view: TrainingView, event: TrainingEvent): TrainingView {
  switch (event.kind) {
    case "step":
      return { ...view, now: { step: event.step, update: event.update }, sessions: null };
    case "sessions":
      // the next update's sampling is told beside this one's training
      return event.what === "prefetch"
        ? view
        : { ...view, sessions: { what: event.what, done: event.done, total: event.total } };
    case "metrics":
      return { ...view, metrics: new Map(view.metrics).set(event.line.update, event.line) };
    case "evaluation":
      return { ...view, evaluations: new Map(view.evaluations).set(event.line.update, event.line), sessions: null };
    case "timing":
      return { ...view, timing: new Map(view.timing).set(event.line.update, event.line) };
    case "notice":
      return view;
  }
}

/** In the order of the updates. */
export const inOrder = <Line>(lines: ReadonlyMap<number, Line>): Line[] =>
  [...lines].sort(([one], [other]) => one - other).map(([, line]) => line);

/** What may be measured over so many last updates. */
const RECENT = 8;

/** Seconds until the run is complete, by its last updates; null before the first one. */
export function secondsLeft(view: TrainingView): number | null {
  const timing = inOrder(view.timing).filter(({ update }) => update > 0);
  const done = Math.max(0, ...view.metrics.keys());
  if (timing.length === 0) return null;
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const recent = timing.slice(-RECENT).map(({ seconds }) => {
    const { evaluate: _evaluation, ...steps } = seconds;
    return Object.values(steps).reduce((sum, value) => sum + value, 0);
  });
  const evaluated = inOrder(view.timing)
    .map(({ seconds }) => seconds.evaluate ?? 0)
    .filter((seconds) => seconds > 1);
  const updates = updatesLeft(view, done);
  const evaluations = Math.ceil(updates / view.evaluateEvery);
  return updates * mean(recent) + (evaluated.length === 0 ? 0 : evaluations * mean(evaluated));
}

function updatesLeft({ updates, sampledTokens, metrics }: TrainingView, done: number): number {
  const left = Math.max(0, updates - done);
  if (sampledTokens === null || done === 0) return left;
  const sampled = inOrder(metrics).reduce((sum, { tokens }) => sum + tokens.sampled, 0);
  return Math.min(left, Math.max(0, Math.ceil((sampledTokens - sampled) / (sampled / done))));
}

export const bestEvaluation = ({ evaluations }: Pick<TrainingView, "evaluations">): EvaluationLine | null =>
  inOrder(evaluations).reduce<EvaluationLine | null>(
    (best, line) =>
      line.sampled.mean !== null && (best === null || line.sampled.mean > best.sampled.mean!) ? line : best,
    null,
  );
