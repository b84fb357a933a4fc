/**
 * UMA-Generalist: the mixture of Table 9 without Ledger-QA, two epochs (UMA App. H, I).
 *
 * At paper scale the largest corpus gives a context to every update, and each other one takes part as often as makes it last
 * as long: 8,192 updates are one epoch of all seven. Where there is only the generator, both profiles of Ledger-QA stand in
 * for a mixture: the recipe runs, and says nothing about the paper's tasks.
 */
import { corpora } from "./corpora.ts";
import { laptop } from "./demo.ts";
import { heldOutLedger, oneGpu, paper } from "./paper-fields.ts";
import type { RlFile } from "./recipe-file.ts";

const epochs = 2;
const mixture = corpora.filter(({ benchmark }) => benchmark !== "ledger-qa");
const updatesPerEpoch = Math.max(...mixture.map(({ samples }) => samples));

const generated = (profile: "micro" | "full", horizon: number, contexts: number) => ({
  benchmark: "ledger-qa",
  config: { profile, split: "train" as const, horizon },
  contexts,
  generated: true,
});

export const umaGeneralist: RlFile = {
  kind: "rl",
  usual: "demo",
  fields: {
    summary: "UMA-Generalist: Task-Stratified GRPO on a mixture of tasks (at paper scale that of Table 9)",
    paper: "§2.3, App. H and I (UMA-Generalist)",
    credit: { estimator: "task-stratified" },
    objective: "task-stratified",
  },
  scales: {
    demo: { ...laptop, data: [...laptop.data, { ...generated("full", 3, 1), every: 2, M: 6 }] },
    dev: {
      ...oneGpu,
      data: [generated("full", 5, 3), generated("micro", 10, 1)],
      evaluation: { data: [heldOutLedger(5, 20)], every: 20 },
    },
    paper: {
      ...paper,
      data: mixture.map(({ benchmark, samples, questions }) => ({
        benchmark,
        config: { data: `data/${benchmark}/train.json` },
        contexts: 1,
        every: Math.round(updatesPerEpoch / samples),
        M: questions,
      })),
      evaluation: { data: [heldOutLedger(10, 3)], every: 512 },
      updates: updatesPerEpoch * epochs,
      saveEvery: 16,
    },
  },
};
