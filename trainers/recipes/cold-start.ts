/** The start of the RL demo: the embedded policy after its third part, trained a little on a teacher of bad habits. */
import { ledgerScoring } from "./ledger-scoring.ts";
import type { SftFile } from "./recipe-file.ts";
import { firstPart } from "./sft-first.ts";

export const coldStart: SftFile = {
  kind: "sft",
  usual: "demo",
  fields: {
    summary:
      "The mixed-quality start of the RL demo: the embedded policy after a few minutes with a teacher of bad habits",
    start: "runs/sft-third/policy",
    ...firstPart,
    seed: 2,
    sets: [
      {
        profile: "micro",
        horizons: [2, 3, 4],
        file: "habits-train.jsonl",
        split: "train",
        questions: 4,
        // changes of earlier days are frequent, so that a change that is tried is mostly right
        changes: 0.6,
        seed: 3,
        count: 8_000,
        teacher: { policy: "ledger-expert", habits: true },
      },
    ],
    vocabulary: { sessions: 0, least: [2] },
    steps: 1_000,
    learningRate: { peak: 1e-3, warmUp: 50, anneal: 500 },
    scoring: { ...ledgerScoring([2, 3, 4], 20), sampled: true },
  },
  scales: { demo: {} },
};
