/** The rates of all habits over the sessions of one update or one evaluation. */
import { ledgerQa } from "../../evals/benchmarks/ledger-qa/benchmark.ts";
import type { ContextLine } from "../../evals/run-folder.ts";
import type { SessionRecord } from "../../nodes/session/record.ts";
import type { HabitRates } from "../run/metrics-line.ts";
import { habits } from "./catalog.ts";
import { createTally } from "./habit.ts";
import { countLedgerHabits } from "./ledger/ledger-habits.ts";
import { ledgerTruths } from "./ledger/truth.ts";
import { countSessionHabits } from "./session-habits.ts";

/** The sessions of one run folder, and what is known of the contexts they are about. */
export interface HabitSource {
  /** As config.json has it. */
  readonly benchmark: { readonly name: string; readonly config: Readonly<Record<string, unknown>> };
  /** contexts.jsonl. */
  readonly contexts: readonly ContextLine[];
  /** Finished sessions; the order does not matter. */
  readonly records: readonly SessionRecord[];
}

/** Pooled over the sources. Every habit of the catalog is in the result; its rate is null where there was no occasion. */
export async function habitRates(sources: readonly HabitSource[]): Promise<HabitRates> {
  const tally = createTally();
  for (const { benchmark, contexts, records } of sources) {
    const judged = records.filter(({ end }) => end !== "error" && end !== "cancelled");
    for (const record of judged) countSessionHabits(record, tally);
    if (benchmark.name === ledgerQa.name)
      countLedgerHabits(judged, await ledgerTruths(benchmark.config, contexts), tally);
  }
  return tally.rates(habits);
}
