/** Small worlds for tool tests: a bank of given entries, and a raw context whose order is known. */
import { addEntry, type Bank, emptyBank } from "../../memory/bank.ts";
import { createSource, type Source } from "../../retrieval/source.ts";
import type { ParsedCall } from "../../tools/call.ts";
import type { ExecuteOptions } from "../../tools/execute-calls.ts";
import type { World } from "../../tools/tool.ts";
import { toolsets } from "../../tools/toolsets.ts";
import { perCharacter } from "./scripts.ts";

export const writer = { chunk: 0, session: "s" } as const;

export function bankOf(entries: Readonly<Record<string, string>> | readonly (readonly [string, string])[]): Bank {
  const pairs = Array.isArray(entries) ? entries : Object.entries(entries);
  return pairs.reduce((bank: Bank, [title, content]) => {
    const written = addEntry(bank, { title, content }, writer);
    if (!written.ok) throw new Error(written.hint);
    return written.bank;
  }, emptyBank);
}

export const worldOf = (bank: Bank = emptyBank, source: Source | null = null, upTo?: number): World => ({
  bank,
  source,
  upTo: upTo ?? (source ? source.chunks.length - 1 : -1),
  writer,
});

/** Three chunks; only the second speaks of the observatory. */
export const smallSource = () =>
  createSource([
    "Ada moved to Lisbon in March.\nShe likes the light there.",
    "Mara works at the observatory on the hill.\nShe saw Saturn through the large telescope.",
    "Ben takes the train to Porto on 12 April.",
  ]);

export const options = (more: Partial<ExecuteOptions> = {}): ExecuteOptions => ({
  toolset: toolsets.paper,
  phase: "memory",
  maxCalls: 16,
  budget: 1_000_000,
  maxObservation: 100_000,
  countTokens: perCharacter,
  ...more,
});

export const callOf = (
  name: string,
  args: Record<string, unknown> | null,
  more: Partial<ParsedCall> = {},
): ParsedCall => ({
  id: `id-${name}`,
  name,
  args,
  error: null,
  repaired: false,
  ...more,
});
