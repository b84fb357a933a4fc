/**
 * The last part of making the embedded policy, from sft-fourth's: what sums over long streams fail by. Amounts that are put
 * right in the session that tells them, changes of earlier days, answers read off many dates; and a little of everything.
 */
import { laterPart } from "./later-part.ts";

const micro = { profile: "micro" as const, split: "train" as const };

const sets = [
  {
    ...micro,
    horizons: [3, 5, 10],
    file: "micro-corrected.jsonl",
    corrections: 0.5,
    changes: 0.8,
    stage: "memory" as const,
    questions: 1,
    seed: 41,
    count: 14_000,
  },
  {
    ...micro,
    horizons: [2, 3, 5, 8, 20],
    file: "micro-train.jsonl",
    changes: 0.4,
    questions: 3,
    seed: 42,
    count: 16_000,
  },
  { ...micro, horizons: [2, 3, 5, 8, 12, 20, 50], file: "micro-asked.jsonl", questions: null, seed: 43, count: 12_000 },
  {
    ...micro,
    horizons: [3, 5, 8, 12, 20],
    file: "micro-groups.jsonl",
    asked: ["max_frequency_date" as const],
    stage: "qa" as const,
    questions: null,
    seed: 44,
    count: 7_000,
  },
  {
    profile: "full" as const,
    split: "train" as const,
    horizons: [2, 3, 5],
    file: "full-train.jsonl",
    changes: 0.5,
    questions: 3,
    seed: 45,
    count: 4_000,
  },
];

export const sftExpert = laterPart({
  summary: "The embedded policy: its last part, corrections, changes and long lists, after sft-fourth",
  after: "sft-fourth",
  seed: 6,
  sets,
  steps: 7_000,
  learningRate: { peak: 2e-3, warmUp: 100, anneal: 5_500 },
});
