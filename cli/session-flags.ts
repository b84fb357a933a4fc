/** The flags that shape sessions, the same for every command that runs them. */
import { z } from "zod";
import { SessionLimits } from "../nodes/session/limits.ts";
import { type ToolsetName, toolsets } from "../tools/toolsets.ts";

export const sessionFlags = {
  toolset: z
    .enum(Object.keys(toolsets) as [ToolsetName, ...ToolsetName[]])
    .default("paper")
    .describe(
      "paper: appendix A; bank: without search; ledger: with the exact ledger_aggregate tool (embedded: its own)",
    ),
  prompts: z
    .string()
    .default("default")
    .describe("default, ledger, micro (for small policies), or a folder with your own templates (embedded: its own)"),
  budget: z.coerce
    .number()
    .int()
    .min(1_024)
    .default(16_384)
    .describe("Tokens of a session: half for the initial prompt, half for what follows"),
  maxTurns: z.coerce.number().int().min(1).default(32).describe("Policy calls per session"),
  maxCalls: z.coerce.number().int().min(1).default(16).describe("Tool calls per turn"),
};

export interface SessionFlags {
  readonly toolset: string;
  readonly prompts: string;
  readonly budget: number;
  readonly maxTurns: number;
  readonly maxCalls: number;
}

export function limitsFrom(given: Pick<SessionFlags, "budget" | "maxTurns" | "maxCalls">): SessionLimits {
  const half = Math.floor(given.budget / 2);
  return SessionLimits.parse({
    promptTokens: half,
    interactionTokens: given.budget - half,
    maxTurns: given.maxTurns,
    maxCalls: given.maxCalls,
  });
}
