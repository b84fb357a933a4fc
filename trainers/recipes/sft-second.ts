/**
 * The second part of making the embedded policy, from sft-first's: fresh sessions, and more of what the first part leaves open,
 * above all answers read off a list of groups. The rate falls to nothing at the end.
 */
import { laterPart } from "./later-part.ts";

const micro = { profile: "micro" as const, split: "train" as const, horizons: [2, 3, 4, 5, 6, 8, 10] };

const sets = [
  { ...micro, file: "micro-train.jsonl", questions: 2, seed: 11, count: 60_000 },
  { ...micro, horizons: [2, 3, 5, 8, 12], file: "micro-asked.jsonl", questions: null, seed: 14, count: 24_000 },
  {
    ...micro,
    horizons: [2, 3, 5, 8, 12, 20, 50],
    file: "micro-groups.jsonl",
    asked: ["max_scene" as const, "max_frequency_date" as const],
    stage: "qa" as const,
    questions: null,
    seed: 15,
    count: 16_000,
  },
  {
    ...micro,
    horizons: [3, 5, 10],
    file: "micro-changes.jsonl",
    changes: 0.9,
    stage: "memory" as const,
    questions: 1,
    seed: 16,
    count: 16_000,
  },
  { ...micro, horizons: [20, 50], file: "micro-long.jsonl", questions: 24, seed: 12, count: 12_000 },
  {
    ...micro,
    profile: "full" as const,
    horizons: [3, 5, 8],
    file: "full-train.jsonl",
    questions: 3,
    seed: 11,
    count: 8_000,
  },
];

export const sftSecond = laterPart({
  summary: "The second part of the embedded policy: fresh sessions, and more lists of groups, after sft-first",
  after: "sft-first",
  seed: 3,
  sets,
  steps: 10_000,
  learningRate: { peak: 3e-3, warmUp: 100, anneal: 3_500 },
});
