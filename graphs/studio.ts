/** What LangGraph Studio and `langgraph.json` open of this folder: every graph, built from the environment (studio-deps.ts). */
import { createAgentGraph } from "./agent.ts";
import { createAnsweringGraph } from "./answering.ts";
import { createMaintenanceGraph } from "./maintenance.ts";
import { createSessionGraph } from "./session.ts";
import { studioDeps } from "./studio-deps.ts";
import { loadVariant } from "./variants/load-variant.ts";

const variantGraph = (spec: string) => async () => {
  const variant = await loadVariant(spec);
  return createAgentGraph(variant.phases(await studioDeps()), { name: spec });
};

export const session = async () => createSessionGraph(await studioDeps());
export const maintenance = async () => createMaintenanceGraph(await studioDeps());
export const answering = async () => createAnsweringGraph(await studioDeps());
export const agent = variantGraph("uma");
export const rag = variantGraph("rag");
export const concat = variantGraph("concat");
