/** What the steps of a session are given by closure: nothing of it is ever in a graph's state. */
import type { Policy } from "../../policies/policy.ts";
import type { Toolset } from "../../tools/toolsets.ts";
import type { Prompts, PromptUse } from "../prompts/prompts.ts";
import type { SessionLimits } from "./limits.ts";
import type { LiveObjects } from "./live-objects.ts";
import type { SessionRecord } from "./record.ts";

export interface SessionDeps {
  readonly policy: Policy;
  readonly toolset: Toolset;
  readonly prompts: Prompts;
  /** Which template to use; by default the stage decides. */
  readonly promptUse?: PromptUse;
  readonly limits: SessionLimits;
  readonly live: LiveObjects;
  /** The variant's name, for the record. */
  readonly variant: string;
  /** Called once per session, when it is over. */
  readonly record?: (record: SessionRecord) => void;
  readonly signal?: AbortSignal;
}
