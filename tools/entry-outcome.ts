/** How a write to the bank is told to the policy and to the record; the same for add, update and delete. */
import type { Written } from "../memory/bank.ts";
import type { ToolOutcome, World } from "./tool.ts";

export function entryWrite(world: World, written: Extract<Written, { ok: true }>, observation: string): ToolOutcome {
  return {
    verdict: "valid",
    observation,
    world: { ...world, bank: written.bank },
    writes: [written.version],
    reads: [],
  };
}

export function entryMiss(world: World, hint: string): ToolOutcome {
  return { verdict: "miss", observation: hint, world, writes: [], reads: [] };
}
