/**
 * One line of metrics.jsonl per update: what the update did. Everything here follows from recipe and seed; what a clock
 * measured is in timing.jsonl, so that two runs of one seed have the same metrics, to the byte.
 */
import { z } from "zod";

const Value = z.number().nullable();

/** Mean and 95 % interval, clustered by context. */
export const Estimate = z.object({ mean: Value, low: Value, high: Value, n: z.int(), contexts: z.int() });
export type Estimate = z.infer<typeof Estimate>;

/** Rates of behaviours, by name (trainers/habits): [0, 1] or a mean count; null where there was no occasion. */
export const HabitRates = z.record(z.string(), z.object({ rate: Value, occasions: z.int() }));
export type HabitRates = z.infer<typeof HabitRates>;

export const EvaluationLine = z.object({
  /** After so many updates; 0 is the start. */
  update: z.int(),
  /** The weights that were evaluated. */
  weights: z.string(),
  /** Outcome (the benchmark's headline) with tokens drawn at temperature 1, one rollout per context; the best checkpoint is chosen by it. */
  sampled: Estimate,
  greedy: Estimate.nullable(),
  /** Of the sampled rollouts. */
  validity: Value,
  habits: HabitRates,
  /** Folders of the rollouts, relative to the run folder. */
  folders: z.object({ sampled: z.array(z.string()), greedy: z.array(z.string()) }),
});
export type EvaluationLine = z.infer<typeof EvaluationLine>;

export const StepLine = z.object({
  /** J of Eq. 9. */
  objective: z.number(),
  tokens: z.int(),
  ratio: z.number(),
  clipShare: Value,
  klOld: z.number(),
  klRef: Value,
  /** Nats per token. */
  entropy: z.number(),
  gradNorm: Value,
  learningRate: z.number(),
});

export type StepLine = z.infer<typeof StepLine>;

export const MetricsLine = z.object({
  /** 1-based: the line says what update number so-and-so did. */
  update: z.int(),
  /** Weights that sampled, and how many updates they are behind those that were trained. */
  weights: z.string(),
  staleness: z.int(),
  contexts: z.int(),
  sessions: z.object({ memory: z.int(), qa: z.int(), failed: z.int() }),
  tokens: z.object({ sampled: z.int(), prompt: z.int() }),
  /** Mean R by stratum (Eqs. 3–4). */
  reward: z.object({ memory: Value, qa: Value }),
  /** Mean r_outcome of answers. */
  outcome: Value,
  /** Mean r_tool by stratum. */
  validity: z.object({ memory: Value, qa: Value }),
  /** Sessions with an advantage of 0, without one (null), and the share of groups without spread. */
  zeroAdvantage: z.int(),
  noAdvantage: z.int(),
  flatGroups: Value,
  /** One per optimiser step; empty when the update was skipped. */
  steps: z.array(StepLine),
  /** Mean |log π_learner − log π_sampler| before the first step; null when nothing was shipped. */
  samplerMismatch: Value,
  /** Why no step was taken; null when one was. */
  skipped: z.string().nullable(),
  /** What a guard rail said, a sentence each. */
  warnings: z.array(z.string()),
  habits: HabitRates,
});
export type MetricsLine = z.infer<typeof MetricsLine>;

/** timing.jsonl: seconds by step of the same update. */
export const TimingLine = z.object({
  update: z.int(),
  /** Disjoint: of the update step, the learner's calls (reference, forward, gradient, optimizer, save) are apart. */
  seconds: z.record(z.string(), z.number()),
  /** Tokens sampled per second of sampling; null when some of the update's sessions were there before, as after a kill. */
  tokensPerSecond: Value,
});
export type TimingLine = z.infer<typeof TimingLine>;
