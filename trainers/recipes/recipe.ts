/**
 * A training run as data: which contexts, how they are sampled, what credit and objective make of them, when to stop (UMA §2.3, App. I).
 *
 * A recipe holds every number that changes a result, so that a run folder with its recipe and seed can be run again. Where it
 * runs (learner, pool, concurrency) is no part of it.
 */
import { z } from "zod";
import { SessionLimits } from "../../nodes/session/limits.ts";
import { Schedule } from "../advantages/schedule.ts";
import { Objective } from "../objective/objective.ts";

/** Contexts of one benchmark; a recipe may mix several (Table 9). */
export const DataSource = z.strictObject({
  benchmark: z.string().min(1),
  /** As `umagraph eval <benchmark>` takes it. */
  config: z.record(z.string(), z.unknown()).default({}),
  /** Contexts per update (for an evaluation: in all). */
  contexts: z.int().min(1),
  /** Questions per context, drawn once by seed; null for all of them. Overrides `rollout.M`. */
  M: z.int().min(1).nullable().optional(),
  /** The generator makes new contexts for every update, by a seed of its own. False: a fixed set, in a seeded order, over and over. */
  generated: z.boolean().default(false),
  /** Takes part in one update of so many; a small set beside large ones then lasts as long as they do. Not for evaluations. */
  every: z.int().min(1).default(1),
  /** The metric that is r_outcome; the benchmark's headline when left out. */
  outcome: z.string().min(1).optional(),
});
export type DataSource = z.infer<typeof DataSource>;

export const EvaluationPlan = z.strictObject({
  /** Held out: never trained on. */
  data: z.array(DataSource).min(1),
  /** Every so many updates, and always before the first and after the last. */
  every: z.int().min(1),
  /** Also with the most probable token each time. */
  greedy: z.boolean().default(false),
});

/** How a session runs, in training and in evaluations alike. */
export const SessionSettings = z.strictObject({
  variant: z.string().default("uma"),
  toolset: z.string().default("paper"),
  prompts: z.string().default("default"),
  limits: SessionLimits.strict().partial().default({}),
  /** ms. */
  time: z
    .strictObject({ turn: z.number().positive().nullable(), session: z.number().positive().nullable() })
    .partial()
    .default({}),
});

/** What is watched, and what is done about it. Null: not watched. */
export const Guards = z.strictObject({
  /** Mean k3 to the reference, nats per token, above which the run stops. */
  maxKl: z.number().positive().nullable().default(1),
  /** Mean |log π_learner − log π_sampler| over sampled tokens before the first step of an update, above which it stops. */
  maxSamplerMismatch: z.number().positive().nullable().default(0.05),
  /** Collapse: the share of valid calls, or the entropy, below which the run stops after `patience` updates in a row. */
  minValidity: z.number().min(0).max(1).nullable().default(0.2),
  minEntropy: z.number().min(0).nullable().default(null),
  /** All questions of an update failed or scored 0, so many updates in a row. */
  patience: z.int().min(1).default(5),
  /** Share of failed sessions in one update above which it stops. */
  maxFailedShare: z.number().min(0).max(1).default(0.5),
});

export const RecipeName = z.string().regex(/^[a-z0-9][a-z0-9-]*$/, "expected small letters, digits and hyphens");

export const RlRecipe = z.strictObject({
  kind: z.literal("rl"),
  name: RecipeName,
  summary: z.string(),
  /** Section of the paper that it follows, or null. */
  paper: z.string().nullable().default(null),
  /** Where training starts: a Hugging Face folder (relative to the package for `assets/…`) or a hub id. */
  model: z.string().min(1),
  /** Null trains all parameters. */
  loraRank: z.int().min(1).nullable().default(null),
  /** `in-process`: the embedded policy samples from the published folder, which must be on this machine; `learner`: the service samples. */
  sampler: z.enum(["in-process", "learner"]).default("learner"),
  data: z.array(DataSource).min(1),
  evaluation: EvaluationPlan,
  rollout: SessionSettings.extend({
    /** Group size. */
    G: z
      .int()
      .refine((size) => size >= 2, "expected at least 2 (one trajectory alone has nothing to be compared with)"),
    M: z.int().min(1).nullable(),
  }),
  credit: z
    .strictObject({
      profile: z.enum(["paper", "uma-code"]).default("paper"),
      estimator: z.string().default("task-stratified"),
      schedule: Schedule.default({ kind: "joint" }),
      /** As `rewardOptions` takes them, e.g. { lambda: 0 }. */
      rewards: z.record(z.string(), z.unknown()).default({}),
      advantages: z.record(z.string(), z.unknown()).default({}),
    })
    .prefault({}),
  objective: z.union([z.string(), Objective]).default("task-stratified"),
  adam: z.strictObject({
    learningRate: z.number().positive(),
    /** Updates over which the rate rises from 0. */
    warmUp: z.int().min(0).default(0),
    /** Share of the updates, at their end, over which it falls evenly towards 0, never below a hundredth; 0: it stays. */
    anneal: z.number().min(0).max(1).default(0),
    beta1: z.number().default(0.9),
    beta2: z.number().default(0.95),
    eps: z.number().positive().default(1e-8),
    weightDecay: z.number().min(0).default(0),
    gradClipNorm: z.number().min(0).default(1),
  }),
  /**
   * False: sessions with an advantage of 0 are not sent, which drops their KL term and saves up to half of an update. They count
   * in the mean over sessions all the same.
   */
  shipZeroAdvantage: z.boolean().default(true),
  /** Optimiser steps per update, each on its part of the sessions. */
  minibatches: z.int().min(1).default(1),
  /** Updates until the run is complete. */
  updates: z.int().min(1),
  /** The run is also complete after the update in which so many tokens have been sampled in all; null: only `updates` counts. */
  sampledTokens: z.int().min(1).nullable().default(null),
  /** 1: the next update is sampled while this one trains, by weights one update older; recorded, and importance-weighted by the objective. */
  async: z.literal([0, 1]).default(0),
  /** The learner's state is saved every so many updates; a killed run redoes what came after it from the records. */
  saveEvery: z.int().min(1).default(1),
  guards: Guards.prefault({}),
});
export type RlRecipe = z.infer<typeof RlRecipe>;

/** As they stand beside a recipe: what a laptop finishes while you watch, one GPU in a day, the paper's own numbers. */
export const scales = ["demo", "dev", "paper"] as const;
export type Scale = (typeof scales)[number];
