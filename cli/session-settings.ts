/** Toolset, prompts and limits of sessions: what was typed, else what the policy was trained on, else the defaults. */
import { loadPrompts, type Prompts } from "../nodes/prompts/prompts.ts";
import type { SessionLimits } from "../nodes/session/limits.ts";
import { trainedSessions } from "../policies/index.ts";
import type { PolicySpec } from "../policies/policy.ts";
import { type Toolset, toolsetNamed } from "../tools/toolsets.ts";
import { limitsFrom, type SessionFlags } from "./session-flags.ts";

export interface SessionSettings {
  readonly toolset: Toolset;
  readonly prompts: Prompts;
  readonly limits: SessionLimits;
}

/** `chosen`: the flags that a person set, here or in a batch file. */
export async function sessionSettings(
  spec: PolicySpec,
  flags: SessionFlags,
  chosen: ReadonlySet<string>,
): Promise<SessionSettings> {
  const trained = Object.entries((await trainedSessions(spec)) ?? {}).filter(([key]) => !chosen.has(key));
  const settings: SessionFlags = { ...flags, ...Object.fromEntries(trained) };
  return {
    toolset: toolsetNamed(settings.toolset),
    prompts: loadPrompts(settings.prompts),
    limits: limitsFrom(settings),
  };
}
