/**
 * The fourth part of making the embedded policy, from sft-third's: a little of everything, above all of what the third part makes
 * it forget, which is answering. The rate falls all the way.
 */
import { laterPart } from "./later-part.ts";

const micro = { profile: "micro" as const, split: "train" as const };

const sets = [
  { ...micro, horizons: [2, 3, 5, 8, 12, 20], file: "micro-asked.jsonl", questions: null, seed: 34, count: 14_000 },
  { ...micro, horizons: [2, 3, 5, 8], changes: 0.5, file: "micro-train.jsonl", questions: 2, seed: 31, count: 10_000 },
  { ...micro, horizons: [20, 50], file: "micro-long.jsonl", questions: 24, seed: 32, count: 4_000 },
  {
    profile: "full" as const,
    split: "train" as const,
    horizons: [3, 5, 8],
    file: "full-train.jsonl",
    questions: 4,
    seed: 33,
    count: 2_400,
  },
];

export const sftFourth = laterPart({
  summary: "The fourth part of the embedded policy: a little of everything, after sft-third",
  after: "sft-third",
  seed: 5,
  sets,
  steps: 3_000,
  learningRate: { peak: 1e-3, warmUp: 50, anneal: 2_500 },
});
