/** What a variant's environment gives each of its sessions. */
import type { SessionDeps } from "../../nodes/session/deps.ts";
import type { LiveObjects } from "../../nodes/session/live-objects.ts";
import type { SessionIdentity } from "../../nodes/session/state.ts";
import type { VariantEnv } from "./variant.ts";

export const sessionDeps = (env: VariantEnv, live: LiveObjects, variant: string): SessionDeps => ({
  policy: env.policy,
  toolset: env.toolset,
  prompts: env.prompts,
  limits: env.limits,
  live,
  variant,
  record: env.record,
  ...(env.signal && { signal: env.signal }),
});

export const sessionIdentity = (env: VariantEnv, question: string | null): SessionIdentity => ({
  run: env.run,
  context: env.context,
  trajectory: env.trajectory,
  question,
  parent: env.parent ?? null,
  seed: env.seed,
  attempt: 1,
});
