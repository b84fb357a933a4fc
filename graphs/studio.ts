/**
 * What LangGraph Studio and `langgraph.json` open: every graph, built from the environment.
 *
 * UMAGRAPH_POLICY (default: extractive, no model), UMAGRAPH_MODEL, UMAGRAPH_BASE_URL, UMAGRAPH_TOOLSET, UMAGRAPH_PROMPTS.
 * Importing any other module of graphs/ has no side effect; this one is the entry point, so it may read the environment.
 */

import { loadPrompts } from "../nodes/prompts/prompts.ts";
import { createPolicy, onlyKnownOptions } from "../policies/index.ts";
import { type ToolsetName, toolsets } from "../tools/toolsets.ts";
import { createAgentGraph } from "./agent.ts";
import { createAnsweringGraph } from "./answering.ts";
import { graphDeps } from "./default-deps.ts";
import type { GraphDeps } from "./graph-deps.ts";
import { createMaintenanceGraph } from "./maintenance.ts";
import { createSessionGraph } from "./session.ts";
import { loadVariant } from "./variants/load-variant.ts";

const env = process.env;

/** One set of dependencies for the whole process: threads name live banks of it. */
const shared: Promise<GraphDeps> = (async () =>
  graphDeps({
    policy: await createPolicy(
      onlyKnownOptions({
        policy: env.UMAGRAPH_POLICY || "extractive",
        ...(env.UMAGRAPH_MODEL && { model: env.UMAGRAPH_MODEL }),
        ...(env.UMAGRAPH_BASE_URL && { baseURL: env.UMAGRAPH_BASE_URL }),
      }),
    ),
    toolset: toolsets[(env.UMAGRAPH_TOOLSET || "paper") as ToolsetName] ?? toolsets.paper,
    prompts: loadPrompts(env.UMAGRAPH_PROMPTS || "default"),
    variant: "studio",
  }))();

const variantGraph = (spec: string) => async () => {
  const variant = await loadVariant(spec);
  return createAgentGraph(variant.phases(await shared), { name: spec });
};

export const session = async () => createSessionGraph(await shared);
export const maintenance = async () => createMaintenanceGraph(await shared);
export const answering = async () => createAnsweringGraph(await shared);
export const agent = variantGraph("uma");
export const rag = variantGraph("rag");
export const concat = variantGraph("concat");
