/**
 * What the graphs that Studio opens are made with, from the environment: one set for the whole process, since threads of
 * one graph may name banks and contexts that are live in another.
 *
 * UMAGRAPH_POLICY (default: extractive, no model), UMAGRAPH_MODEL, UMAGRAPH_BASE_URL, UMAGRAPH_TOOLSET, UMAGRAPH_PROMPTS.
 */
import { loadPrompts } from "../nodes/prompts/prompts.ts";
import { createPolicy, onlyKnownOptions } from "../policies/index.ts";
import { type ToolsetName, toolsets } from "../tools/toolsets.ts";
import { graphDeps } from "./default-deps.ts";
import type { GraphDeps } from "./graph-deps.ts";

let made: Promise<GraphDeps> | undefined;

/** Reads the environment at the first call. */
export const studioDeps = (): Promise<GraphDeps> => {
  made ??= fromEnvironment(process.env);
  return made;
};

const fromEnvironment = async (env: NodeJS.ProcessEnv): Promise<GraphDeps> =>
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
  });
