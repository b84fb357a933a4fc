/**
 * What a training run is between two steps: small, plain JSON, and enough to go on from after any crash.
 *
 * Whatever is large (records, credit, weights, optimiser) is in the run folder or with the learner; the state names it.
 */
import { z } from "zod";

/** In this order, over and over; a run begins with an evaluation of what it starts from. */
export const stepNames = ["collect", "reward", "advantage", "batch", "update", "publish", "evaluate"] as const;
export const StepName = z.enum(stepNames);
export type StepName = z.infer<typeof StepName>;

/** Weights that can be sampled from. */
export const Weights = z.strictObject({
  /** How many updates have made them; 0 is the model that training starts from. */
  update: z.int().min(0),
  /** What a policy is given: a model folder on this machine (`in-process`), the learner's path or base model (`learner`). */
  source: z.string(),
  /** As traces name them: a content hash for folders, the learner's own name otherwise. */
  version: z.string(),
  /** Where they lie on this machine, when that is known: what `best/` is copied from. */
  folder: z.string().nullable(),
});
export type Weights = z.infer<typeof Weights>;

/** As metrics name weights: the same in every run of one seed. */
export const weightsName = ({ update }: Pick<Weights, "update">) => `update-${String(update).padStart(4, "0")}`;

export const Best = z.strictObject({
  update: z.int().min(0),
  /** Mean outcome on the held-out contexts, tokens drawn at temperature 1. */
  score: z.number(),
  weights: Weights,
});
export type Best = z.infer<typeof Best>;

/** Updates in a row that looked bad, by guard rail, the last one included. */
export const GuardCounters = z.strictObject({
  validity: z.int().min(0).default(0),
  entropy: z.int().min(0).default(0),
  failing: z.int().min(0).default(0),
});
export type GuardCounters = z.infer<typeof GuardCounters>;

/** A state of the learner that can be gone on from, optimiser included, and what else was so at that time. */
export const SavedState = z.strictObject({
  update: z.int().min(1),
  path: z.string(),
  weights: Weights,
  previous: Weights.nullable(),
  guards: GuardCounters,
  sampledTokens: z.int(),
});
export type SavedState = z.infer<typeof SavedState>;

export const Halted = z.strictObject({
  /** Which guard rail, e.g. `kl`. */
  reason: z.string(),
  /** What happened, what it probably means, what to do. */
  sentence: z.string(),
});
export type Halted = z.infer<typeof Halted>;

const Value = z.number().nullable();

/** What the update under way has come to so far; its metrics line is made of it. */
export const UnderWay = z.strictObject({
  /** 1-based. */
  update: z.int().min(1),
  /** The weights that sampled it. */
  weights: Weights,
  /** Run folders of its rollouts, relative to the training's folder, one per data source. */
  folders: z.array(z.string()),
  contexts: z.int(),
  sessions: z.strictObject({ memory: z.int(), qa: z.int(), failed: z.int() }),
  tokens: z.strictObject({ sampled: z.int(), prompt: z.int() }),
  reward: z.strictObject({ memory: Value, qa: Value }).nullable().default(null),
  outcome: Value.default(null),
  validity: z.strictObject({ memory: Value, qa: Value }).nullable().default(null),
  zeroAdvantage: z.int().default(0),
  noAdvantage: z.int().default(0),
  flatGroups: Value.default(null),
  /** Why no step is taken; null when one is. */
  skipped: z.string().nullable().default(null),
  warnings: z.array(z.string()).default([]),
});
export type UnderWay = z.infer<typeof UnderWay>;

export const TrainingState = z.strictObject({
  v: z.literal(1),
  /** Updates that are done: their step was taken, and the line of metrics written. */
  update: z.int().min(0),
  /** Tokens that these updates have sampled. */
  sampledTokens: z.int().min(0),
  /** The step that comes next; null at the end. */
  next: StepName.nullable(),
  /** The learner's last saved state; null when it has not learnt anything yet. */
  saved: SavedState.nullable(),
  /** The newest published weights. */
  weights: Weights,
  /** Those before, which `async: 1` samples the next update with. */
  previous: Weights.nullable(),
  underWay: UnderWay.nullable(),
  best: Best.nullable(),
  /** After so many updates was evaluated last. */
  evaluated: z.int().nullable(),
  guards: GuardCounters,
  halted: Halted.nullable(),
});
export type TrainingState = z.infer<typeof TrainingState>;
