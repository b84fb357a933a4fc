/** The ablation Two-Stage: memory first, answering afterwards, each for half of the updates (UMA §4.4, Table 1). */
import { laptop } from "./demo.ts";
import type { RlFile } from "./recipe-file.ts";
import { ledgerAlone } from "./uma-specialist.ts";

const halfOf = (updates: number) => ({
  estimator: "two-stage",
  schedule: { kind: "two-stage" as const, memoryUpdates: Math.floor(updates / 2) },
});

export const umaTwoStage: RlFile = {
  kind: "rl",
  usual: "demo",
  fields: {
    summary: "The ablation Two-Stage: the first half of the updates trains memory, the second half answering",
    paper: "§4.4, Table 1 (Two-Stage)",
    objective: "task-stratified",
  },
  scales: {
    demo: { ...laptop, credit: halfOf(laptop.updates) },
    dev: { ...ledgerAlone.dev, credit: halfOf(ledgerAlone.dev.updates) },
    paper: { ...ledgerAlone.paper, credit: { ...ledgerAlone.paper.credit, ...halfOf(ledgerAlone.paper.updates) } },
  },
};
