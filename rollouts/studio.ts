/** What LangGraph Studio and `langgraph.json` open of this folder. UMAGRAPH_VARIANT (default: uma) is the method that is sampled. */
import { studioDeps } from "../graphs/studio-deps.ts";
import { loadVariant } from "../graphs/variants/load-variant.ts";
import { createRolloutGraph } from "./graph/rollout.ts";

export const rollout = async () =>
  createRolloutGraph(await loadVariant(process.env.UMAGRAPH_VARIANT || "uma"), await studioDeps());
