/** How the embedded policy is made: every number of it, so that a rebuild needs nothing but this file and the seed. */
import type { Adam } from "../../learner/index.ts";
import type { LearningRate } from "./learning-rate.ts";
import type { ModelShape } from "./model/initial-model.ts";
import type { TeacherOptions } from "./teacher-sessions.ts";

export interface SessionSet extends TeacherOptions {
  readonly file: string;
  /** How many sessions are written. */
  readonly count: number;
  /** False: only its words are wanted. Default true. */
  readonly trained?: boolean;
}

export interface SupervisedRecipe {
  readonly seed: number;
  readonly shape: ModelShape;
  /** What is trained on, one file each. */
  readonly sets: readonly SessionSet[];
  readonly heldOut: SessionSet;
  /** The vocabulary: pieces seen at least so often in the first sessions of each set, one number a set. */
  readonly vocabulary: { readonly sessions: number; readonly least: readonly number[] };
  readonly steps: number;
  readonly batchTokens: number;
  readonly contextWeight: number;
  /** Longer sessions are left out. */
  readonly maxTokens: number;
  readonly learningRate: LearningRate;
  /** Short sessions first: copying is learnt sooner where there is less to copy from. */
  readonly shortFirst: { readonly batches: number; readonly tokens: number } | null;
  readonly adam: Omit<Adam, "learningRate">;
  readonly reportEvery: number;
  readonly checkpointEvery: number;
}

const micro = { profile: "micro", horizons: [2, 3, 4, 5, 6, 8, 10] } as const;

export const embeddedPolicy: SupervisedRecipe = {
  seed: 1,
  shape: { width: 128, layers: 4, heads: 4, headWidth: 32, feedForward: 384, context: 4096, rope: 10_000 },
  sets: [
    { ...micro, file: "micro-train.jsonl", split: "train", questions: 2, seed: 1, count: 60_000 },
    // more questions than sessions: lists of groups are answered last of all
    {
      ...micro,
      horizons: [2, 3, 5, 8, 12],
      file: "micro-asked.jsonl",
      split: "train",
      questions: null,
      seed: 4,
      count: 30_000,
    },
    // observations that are cut, edits of what is long ago
    { ...micro, horizons: [20, 50], file: "micro-long.jsonl", split: "train", questions: 24, seed: 2, count: 12_000 },
    // five times as long as the others, so few of them are a fifth of all tokens
    {
      profile: "full",
      horizons: [3, 5, 8],
      file: "full-train.jsonl",
      split: "train",
      questions: 3,
      seed: 1,
      count: 6_000,
    },
  ],
  heldOut: {
    ...micro,
    file: "micro-test.jsonl",
    split: "test",
    horizons: [3, 5, 10],
    questions: 3,
    seed: 770,
    count: 120,
  },
  vocabulary: { sessions: 4_000, least: [2, 2, 2, 10] },
  steps: 32_000,
  batchTokens: 800,
  contextWeight: 0.1,
  maxTokens: 900,
  learningRate: { peak: 3e-3, warmUp: 100, anneal: 10_000 },
  shortFirst: null,
  adam: { beta1: 0.9, beta2: 0.98, eps: 1e-9, gradClipNorm: 1 },
  reportEvery: 200,
  checkpointEvery: 400,
};

/** The start of the RL demo: the finished policy, trained a little on a teacher of bad habits. */
export const coldStart: SupervisedRecipe = {
  ...embeddedPolicy,
  seed: 2,
  sets: [
    {
      ...micro,
      horizons: [2, 3, 4],
      file: "habits-train.jsonl",
      split: "train",
      questions: 4,
      seed: 3,
      count: 8_000,
      teacher: { policy: "ledger-expert", habits: true },
    },
  ],
  vocabulary: { sessions: 0, least: [2] },
  steps: 1_000,
  learningRate: { peak: 1e-3, warmUp: 50, anneal: 500 },
};
