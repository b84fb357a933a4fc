/** How a write to the bank is told to the policy and to the record; the same for add, update and delete. */
import { type Bank, bankSize, similarTitles, type Written } from "../memory/bank.ts";
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

/** What the policy is told when no entry has the title it asked for: what there is that comes close. */
export function missingTitle(bank: Bank, title: string): string {
  if (bankSize(bank) === 0) return `No entry is titled "${title}". The bank is empty.`;
  return `No entry is titled "${title}". Closest titles: ${JSON.stringify(similarTitles(bank, title, 5))}.`;
}
