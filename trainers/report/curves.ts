/** What is drawn over the updates of a run. */
import { percent, whole } from "../../evals/reports/format-number.ts";
import type { EvaluationLine, MetricsLine } from "../run/metrics-line.ts";
import type { StepSeries } from "./charts/step-chart.ts";
import type { TrainingLog } from "./read-training.ts";

export interface Curve {
  readonly id: string;
  readonly title: string;
  readonly note?: string;
  readonly series: readonly StepSeries[];
  readonly format: (value: number) => string;
  /** End of the axis, where the quantity has one. */
  readonly max?: number;
}

/** Those that have a value. */
export function curvesOf({ metrics, evaluations, timing }: TrainingLog): Curve[] {
  const over = (label: string, of: (line: MetricsLine) => number | null, look?: number): StepSeries => ({
    label,
    points: metrics.map((line) => ({ x: line.update, y: of(line) })),
    ...(look !== undefined && { look }),
  });
  const held = (label: string, of: (line: EvaluationLine) => EvaluationLine["greedy"], look: number): StepSeries => ({
    label,
    look,
    points: evaluations.map((line) => {
      const value = of(line);
      return { x: line.update, y: value?.mean ?? null, low: value?.low ?? null, high: value?.high ?? null };
    }),
  });
  const curves: Curve[] = [
    {
      id: "outcome",
      title: "Outcome on held-out contexts, × 100",
      note: "Bands are 95 % intervals, clustered by context.",
      series: [held("sampled", ({ sampled }) => sampled, 0), held("greedy", ({ greedy }) => greedy, 1)],
      format: percent,
      max: 1,
    },
    {
      id: "reward",
      title: "Mean reward of the sampled sessions, by stratum",
      note: "Each update has contexts of its own, so that some of the movement is theirs.",
      series: [
        over("memory", ({ reward }) => reward.memory),
        over("answers", ({ reward }) => reward.qa),
        over("outcome of answers", ({ outcome }) => outcome),
      ],
      format: decimals(2),
    },
    {
      id: "validity",
      title: "Validity of tool calls, × 100",
      series: [over("memory", ({ validity }) => validity.memory), over("answers", ({ validity }) => validity.qa)],
      format: percent,
      max: 1,
    },
    {
      id: "kl",
      title: "Divergence, nats per token",
      note: "To the reference: k3 of the policy to the model that training began with. To the sampler: to the weights that sampled the update.",
      series: [
        over(
          "to the reference",
          overSteps(({ klRef }) => klRef),
        ),
        over(
          "to the sampler",
          overSteps(({ klOld }) => klOld),
        ),
      ],
      format: significant,
    },
    {
      id: "entropy",
      title: "Entropy, nats per token",
      series: [
        over(
          "entropy",
          overSteps(({ entropy }) => entropy),
        ),
      ],
      format: significant,
    },
    {
      id: "clip",
      title: "Tokens whose ratio was clipped, × 100",
      series: [
        over(
          "clip share",
          overSteps(({ clipShare }) => clipShare),
        ),
      ],
      format: percent,
    },
    {
      id: "gradient",
      title: "Gradient norm before clipping",
      series: [
        over(
          "gradient norm",
          overSteps(({ gradNorm }) => gradNorm),
        ),
      ],
      format: significant,
    },
    {
      id: "mismatch",
      title: "Sampler and learner: mean |Δ log-probability|",
      series: [over("mismatch", ({ samplerMismatch }) => samplerMismatch)],
      format: significant,
    },
    {
      id: "signal",
      title: "Groups without spread, × 100",
      note: "All rollouts of such a group had one reward, so that it taught nothing.",
      series: [over("flat groups", ({ flatGroups }) => flatGroups)],
      format: percent,
      max: 1,
    },
    {
      id: "speed",
      title: "Tokens sampled per second",
      series: [
        { label: "tokens per second", points: timing.map((line) => ({ x: line.update, y: line.tokensPerSecond })) },
      ],
      format: whole,
    },
  ];
  return curves.flatMap((curve) => {
    const series = curve.series.filter(({ points }) => points.some(({ y }) => y !== null));
    return series.length === 0 ? [] : [{ ...curve, series }];
  });
}

/** Mean over an update's optimiser steps; null where it took none. */
const overSteps =
  (of: (step: MetricsLine["steps"][number]) => number | null) =>
  ({ steps }: MetricsLine): number | null => {
    const values = steps.flatMap((step) => of(step) ?? []);
    return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
  };

const decimals = (places: number) => (value: number) => value.toFixed(places);

/** Two digits that mean something, however small the quantity. */
export const significant = (value: number): string =>
  value === 0
    ? "0"
    : Math.abs(value) >= 1_000 || Math.abs(value) < 1e-3
      ? value.toExponential(1)
      : String(Number(value.toPrecision(2)));
