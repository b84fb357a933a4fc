/**
 * Supervised training on a teacher's sessions as data: which sessions, which model, how long, and what the result is scored on.
 *
 * The numbers decide the weights: with the same recipe anyone makes the same policy again.
 */
import { z } from "zod";
import { questionTypes } from "../../evals/benchmarks/ledger-qa/questions.ts";
import { DataSource, RecipeName, SessionSettings } from "./recipe.ts";

const Teacher = z.looseObject({ policy: z.string().min(1) });

export const SessionSet = z.strictObject({
  /** Where its sessions are kept in the run folder. */
  file: z.string().regex(/^[A-Za-z0-9._-]+\.jsonl$/, 'expected a file name such as "train.jsonl"'),
  profile: z.enum(["micro", "full"]),
  /** `train` for everything that is trained on. */
  split: z.enum(["train", "test"]),
  /** Sessions per context; each block has contexts of every horizon. */
  horizons: z.array(z.int().min(1)).min(1),
  /** Questions asked about each context, drawn by seed; null for all of them. */
  questions: z.int().min(1).nullable(),
  seed: z.int(),
  /** How many sessions are written. */
  count: z.int().min(1),
  /** Only questions of these types are asked. */
  asked: z.array(z.enum(questionTypes)).min(1).optional(),
  /** Only sessions of this stage are trained on. */
  stage: z.enum(["memory", "qa"]).optional(),
  /** How often a session changes an earlier one; the profile's own share when left out. */
  changes: z.number().min(0).max(1).optional(),
  /** How often an amount is put right in the session that tells it; the usual share when left out. */
  corrections: z.number().min(0).max(1).optional(),
  teacher: Teacher.optional(),
  /** False: only its words are wanted. Default true. */
  trained: z.boolean().optional(),
});
export type SessionSet = z.infer<typeof SessionSet>;

export const SupervisedSettings = z.strictObject({
  seed: z.int(),
  /** Of a model with random weights; not used where training starts from a policy. */
  shape: z.strictObject({
    width: z.int().min(1),
    layers: z.int().min(1),
    heads: z.int().min(2),
    headWidth: z.int().min(2),
    feedForward: z.int().min(1),
    context: z.int().min(256),
    rope: z.number().positive(),
  }),
  /** What is trained on, one file each. */
  sets: z.array(SessionSet).min(1),
  heldOut: SessionSet,
  /** The vocabulary: pieces seen at least so often in the first sessions of each set, one number a set. */
  vocabulary: z.strictObject({ sessions: z.int().min(0), least: z.array(z.int().min(1)) }),
  steps: z.int().min(1),
  batchTokens: z.int().min(1),
  /** What a token that was given weighs against one that the teacher wrote. */
  contextWeight: z.number().min(0),
  /** Longer sessions are left out. */
  maxTokens: z.int().min(1),
  learningRate: z.strictObject({
    peak: z.number().positive(),
    /** Steps of the rise. */
    warmUp: z.int().min(0),
    /** The last so many steps fall to a hundredth of the peak. */
    anneal: z.int().min(0),
  }),
  /** Short sessions first; null: a shuffle of all. */
  shortFirst: z.strictObject({ batches: z.int().min(1), tokens: z.int().min(1) }).nullable(),
  adam: z.strictObject({
    beta1: z.number(),
    beta2: z.number(),
    eps: z.number().positive(),
    gradClipNorm: z.number().min(0),
  }),
  reportEvery: z.int().min(1),
  checkpointEvery: z.int().min(1),
});
/** What `preparePolicy` and `trainPolicy` need of a recipe. */
export type SupervisedRecipe = Readonly<z.infer<typeof SupervisedSettings>>;

export const SftRecipe = SupervisedSettings.extend({
  kind: z.literal("sft"),
  name: RecipeName,
  summary: z.string(),
  paper: z.string().nullable().default(null),
  /** A policy's folder (relative to the package for `assets/…`) whose weights and words are taken over; null: random weights. */
  start: z.string().min(1).nullable().default(null),
  /** What the exported policy is scored on, with the most probable token each time; null: on nothing. */
  scoring: z
    .strictObject({
      data: z.array(DataSource).min(1),
      sessions: SessionSettings,
      /** Also with tokens drawn at temperature 1. */
      sampled: z.boolean().default(false),
    })
    .nullable()
    .default(null),
});
export type SftRecipe = z.infer<typeof SftRecipe>;
