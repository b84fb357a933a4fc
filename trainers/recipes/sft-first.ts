/**
 * The first part of making the embedded policy, from random weights: the calls, copying, the words for things. At a constant
 * learning rate, since sft-second goes on from it. Every number that decides its weights is here.
 */
import { ledgerScoring } from "./ledger-scoring.ts";
import type { SftFile } from "./recipe-file.ts";

const micro = { profile: "micro" as const, horizons: [2, 3, 4, 5, 6, 8, 10] };

/** All numbers that decide its weights; a change of any makes another policy. */
export const firstPart = {
  seed: 1,
  shape: { width: 128, layers: 4, heads: 4, headWidth: 32, feedForward: 384, context: 4096, rope: 10_000 },
  sets: [
    { ...micro, file: "micro-train.jsonl", split: "train" as const, questions: 2, seed: 1, count: 60_000 },
    // more questions than sessions: lists of groups are answered last of all
    {
      ...micro,
      horizons: [2, 3, 5, 8, 12],
      file: "micro-asked.jsonl",
      split: "train" as const,
      questions: null,
      seed: 4,
      count: 30_000,
    },
    // observations that are cut, edits of what is long ago
    {
      ...micro,
      horizons: [20, 50],
      file: "micro-long.jsonl",
      split: "train" as const,
      questions: 24,
      seed: 2,
      count: 12_000,
    },
    // five times as long as the others, so few of them are a fifth of all tokens
    {
      profile: "full" as const,
      horizons: [3, 5, 8],
      file: "full-train.jsonl",
      split: "train" as const,
      questions: 3,
      seed: 1,
      count: 6_000,
    },
  ],
  heldOut: {
    ...micro,
    file: "micro-test.jsonl",
    split: "test" as const,
    horizons: [3, 5, 10],
    questions: 3,
    seed: 770,
    count: 120,
  },
  vocabulary: { sessions: 4_000, least: [2, 2, 2, 10] },
  steps: 6_800,
  batchTokens: 800,
  contextWeight: 0.1,
  maxTokens: 900,
  learningRate: { peak: 3e-3, warmUp: 100, anneal: 0 },
  shortFirst: null,
  adam: { beta1: 0.9, beta2: 0.98, eps: 1e-9, gradClipNorm: 1 },
  reportEvery: 200,
  checkpointEvery: 400,
};

export const sftFirst: SftFile = {
  kind: "sft",
  usual: "dev",
  fields: {
    summary: "The first part of the embedded policy: the scripted expert's sessions, from random weights",
    start: null,
    ...firstPart,
  },
  scales: {
    // a check that the chain works, not a policy
    demo: {
      sets: firstPart.sets.map((set) => ({ ...set, count: Math.ceil(set.count / 100) })),
      vocabulary: { sessions: 400, least: [2, 2, 2, 10] },
      steps: 600,
      learningRate: { peak: 3e-3, warmUp: 50, anneal: 200 },
      scoring: ledgerScoring([2], 3),
    },
    dev: { scoring: ledgerScoring([2, 3], 10) },
  },
};
