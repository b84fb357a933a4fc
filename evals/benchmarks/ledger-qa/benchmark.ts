/**
 * Ledger-QA (UMA §3, App. C): state tracking over a stream of dated expense dialogues.
 *
 * A seeded, offline generator: dialogues come from templates, answers from the structured ledger, and nothing from a
 * model. README.md beside this file is the grammar: what is said, in which words, and what it means for the ledger.
 */
import { type Benchmark, defineBenchmark, type EvalContext } from "../../benchmark.ts";
import { decimalExact } from "../../metrics/decimal-exact.ts";
import { exactMatch } from "../../metrics/exact-match.ts";
import { tokenF1 } from "../../metrics/token-f1.ts";
import { type LedgerQaConfig, ledgerQaConfig } from "./config.ts";
import { generateLedgerQa } from "./generate.ts";
import { readLedgerFile } from "./ledger-file.ts";
import { lineToEvalContext } from "./ledger-lines.ts";
import { spreadQuestions } from "./spread-questions.ts";

export const ledgerQa: Benchmark<LedgerQaConfig> = defineBenchmark<LedgerQaConfig>({
  name: "ledger-qa",
  family: "ST",
  paper: "§3, App. C",
  description: "Sums, maxima and dates over a ledger that grows and changes through many dialogues",
  config: ledgerQaConfig,
  load: (config) => (config.file === null ? generated(config) : fromFile(config.file, config)),
  metrics: [decimalExact, exactMatch, tokenF1],
  headline: decimalExact.name,
});

async function* generated(config: LedgerQaConfig): AsyncGenerator<EvalContext> {
  for await (const line of generateLedgerQa(config)) yield lineToEvalContext(line);
}

async function* fromFile(path: string, { contexts, questions }: LedgerQaConfig): AsyncGenerator<EvalContext> {
  let count = 0;
  for await (const context of readLedgerFile(path)) {
    if (count++ === contexts) return;
    yield { ...context, questions: spreadQuestions(context.questions, ({ category }) => category, questions) };
  }
}
