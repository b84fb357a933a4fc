/** The ablation Global Group: one advantage group for all sessions of a context (UMA §4.4, Table 1). */
import { laptop } from "./demo.ts";
import type { RlFile } from "./recipe-file.ts";
import { ledgerAlone } from "./uma-specialist.ts";

export const umaGlobalGroup: RlFile = {
  kind: "rl",
  usual: "demo",
  fields: {
    summary: "The ablation Global Group: memory and QA sessions of a context compared in one group",
    paper: "§4.4, Table 1 (Global Group)",
    credit: { estimator: "global-group" },
    objective: "task-stratified",
  },
  scales: { demo: laptop, ...ledgerAlone },
};
