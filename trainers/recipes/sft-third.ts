/**
 * The third part of making the embedded policy, from sft-second's: changes of earlier days. In ordinary dialogues they are
 * rare, and a policy that has everything else right still takes the session's own date for that of the entry to change.
 */
import { laterPart } from "./later-part.ts";

const changed = { split: "train" as const, changes: 0.9, stage: "memory" as const, questions: 1 };

const sets = [
  { ...changed, profile: "micro" as const, horizons: [3, 5, 10], file: "micro-changes.jsonl", seed: 21, count: 16_000 },
  // what is known already is not to be forgotten
  {
    profile: "micro" as const,
    split: "train" as const,
    horizons: [2, 3, 5, 8, 20],
    file: "micro-train.jsonl",
    questions: 4,
    seed: 22,
    count: 8_000,
  },
  { ...changed, profile: "full" as const, horizons: [3, 5], file: "full-changes.jsonl", seed: 23, count: 1_200 },
];

export const sftThird = laterPart({
  summary: "The third part of the embedded policy: changes of earlier days, after sft-second",
  after: "sft-second",
  seed: 4,
  sets,
  steps: 4_000,
  learningRate: { peak: 2e-3, warmUp: 100, anneal: 2_000 },
});
