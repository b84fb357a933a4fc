/** The dependencies of graphs with every default filled in: a policy is all that has to be given. */

import { loadPrompts } from "../nodes/prompts/prompts.ts";
import { SessionLimits } from "../nodes/session/limits.ts";
import { liveObjects } from "../nodes/session/live-objects.ts";
import type { Policy } from "../policies/policy.ts";
import { createSource } from "../retrieval/source.ts";
import { toolsets } from "../tools/toolsets.ts";
import type { GraphDeps } from "./graph-deps.ts";

export const graphDeps = (given: Partial<GraphDeps> & { readonly policy: Policy }): GraphDeps => ({
  toolset: toolsets.paper,
  prompts: given.prompts ?? loadPrompts(),
  limits: SessionLimits.parse({}),
  live: given.live ?? liveObjects(),
  variant: "uma",
  openSource: (chunks) => createSource(chunks),
  ...given,
});
