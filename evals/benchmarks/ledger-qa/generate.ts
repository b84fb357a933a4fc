/** Generates Ledger-QA as JSONL-ready objects; what `umagraph generate ledger-qa` writes. */
import type { LedgerQaConfig } from "./config.ts";
import { generateContext } from "./context.ts";
import { type LedgerLine, toLedgerLine } from "./ledger-lines.ts";

/** Horizons in the given order, each with its contexts 0..contexts-1; one line per context. */
export async function* generateLedgerQa(config: LedgerQaConfig): AsyncGenerator<LedgerLine> {
  for (const horizon of config.horizon)
    for (let index = 0; index < config.contexts; index++) yield toLedgerLine(generateContext(horizon, index, config));
}
