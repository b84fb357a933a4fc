/** UMA-Specialist: Ledger-QA alone, 200 generated samples of ten sessions, six epochs (UMA App. H, I; Table 9). */
import { laptop } from "./demo.ts";
import { heldOutLedger, oneGpu, paper } from "./paper-fields.ts";
import type { RlFile } from "./recipe-file.ts";

const samples = 200;
const epochs = 6;

/** Both scales read the full dialogues; the paper's set is fixed, and seen once an epoch. */
export const ledgerAlone = {
  dev: {
    ...oneGpu,
    data: [
      {
        benchmark: "ledger-qa",
        config: { profile: "full", split: "train", horizon: 5 },
        contexts: 4,
        generated: true,
      },
    ],
    evaluation: { data: [heldOutLedger(5, 20)], every: 20 },
  },
  paper: {
    ...paper,
    data: [
      {
        benchmark: "ledger-qa",
        config: { profile: "full", split: "train", horizon: 10, seed: 1, contexts: samples },
        contexts: 1,
      },
    ],
    evaluation: { data: [heldOutLedger(10, 3), heldOutLedger(50, 3)], every: 100 },
    updates: samples * epochs,
  },
} satisfies RlFile["scales"];

export const umaSpecialist: RlFile = {
  kind: "rl",
  usual: "demo",
  fields: {
    summary: "UMA-Specialist: Task-Stratified GRPO on Ledger-QA",
    paper: "§2.3, App. I (UMA-Specialist)",
    credit: { estimator: "task-stratified" },
    objective: "task-stratified",
  },
  scales: { demo: laptop, ...ledgerAlone },
};
