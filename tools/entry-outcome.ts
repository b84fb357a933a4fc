/** How a write to the bank is told to the policy and to the record; the same for add, update and delete. */
import { type Bank, bankSize, similarTitles, type Written } from "../memory/bank.ts";
import { LONGEST_TITLE, type ToolOutcome, type World } from "./tool.ts";

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
  const missing = `No entry is titled ${JSON.stringify(title.slice(0, LONGEST_TITLE))}.`;
  if (bankSize(bank) === 0) return `${missing} The bank is empty.`;
  const close = similarTitles(bank, title, 5);
  return close.length === 0
    ? `${missing} memory_list shows the titles.`
    : `${missing} Closest titles: ${JSON.stringify(close)}.`;
}
