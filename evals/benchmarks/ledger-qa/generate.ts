/** Generates Ledger-QA as JSONL-ready objects; what `umagraph generate ledger-qa` writes. */
import type { LedgerQaConfig } from "./config.ts";
import { generateContext } from "./context.ts";
import { type LedgerLine, toLedgerLine } from "./ledger-lines.ts";
import { type Complete, rewriteContext } from "./rewrite.ts";

/** As many as the paper tests most horizons with (Table 7). */
const usualContexts = 3;

/**
 * Horizons in the given order, each with its contexts 0..contexts-1; one line per context. With `rewrite`, a model
 * rewords the dialogues and each line says how many of its sessions were (they are then not the same bytes every time).
 */
export async function* generateLedgerQa(
  config: LedgerQaConfig,
  { rewrite }: { readonly rewrite?: Complete } = {},
): AsyncGenerator<LedgerLine> {
  for (const horizon of config.horizon)
    for (let index = 0; index < (config.contexts ?? usualContexts); index++) {
      const context = generateContext(horizon, index, config);
      if (!rewrite) {
        yield toLedgerLine(context);
        continue;
      }
      const { context: reworded, accepted, rejected } = await rewriteContext(context, rewrite);
      yield { ...toLedgerLine(reworded), rewritten: { accepted, rejected: rejected.length } };
    }
}
