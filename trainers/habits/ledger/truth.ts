/**
 * What the chunks and questions of a Ledger-QA run are about, found again from its configuration.
 *
 * A run folder holds neither chunks nor the ledger behind them. The generator makes both again, and the hash in
 * contexts.jsonl vouches that they are the same: a context that cannot be had again to the byte (another version of the
 * generator, a changed file, the paper's own format, which has no lineage) has no truth, and its sessions are not judged by it.
 */
import { ledgerQaConfig } from "../../../evals/benchmarks/ledger-qa/config.ts";
import { generateLedgerQa } from "../../../evals/benchmarks/ledger-qa/generate.ts";
import { isPaperFile, readLedgerLines } from "../../../evals/benchmarks/ledger-qa/ledger-file.ts";
import { type LedgerLine, lineToEvalContext } from "../../../evals/benchmarks/ledger-qa/ledger-lines.ts";
import type { Query } from "../../../evals/benchmarks/ledger-qa/questions.ts";
import { spreadQuestions } from "../../../evals/benchmarks/ledger-qa/spread-questions.ts";
import { type ContextLine, contextLine } from "../../../evals/run-folder.ts";

/** An expense as one session tells of it. */
export interface ToldTransaction {
  readonly id: string;
  readonly date: string;
  readonly subscene: string;
  /** The dialogue's words for it, "a flat white". */
  readonly item: string;
  /** Cents: every amount that the session gives, the standing one last. */
  readonly said: readonly number[];
}

/** What a session changes of an earlier day. */
export interface ToldChange {
  readonly id: string;
  readonly date: string;
  readonly subscene: string;
  readonly item: string;
  /** Cents. */
  readonly before: number;
  /** null: it is gone. */
  readonly after: number | null;
}

export interface ToldSession {
  readonly recorded: readonly ToldTransaction[];
  readonly changes: readonly ToldChange[];
}

export interface LedgerTruth {
  /** By chunk. */
  readonly sessions: readonly ToldSession[];
  /** By question id. */
  readonly queries: ReadonlyMap<string, Query>;
}

/** By context id; contexts that cannot be found again are not in it. */
export async function ledgerTruths(
  given: Readonly<Record<string, unknown>>,
  contexts: readonly ContextLine[],
): Promise<ReadonlyMap<string, LedgerTruth>> {
  const truths = new Map<string, LedgerTruth>();
  const parsed = ledgerQaConfig.safeParse(given);
  if (!parsed.success) return truths;
  const { file, questions } = parsed.data;
  if (file !== null && (await isPaperFile(file))) return truths;
  const wanted = new Map(contexts.map(({ id, hash }) => [id, hash]));
  for await (const line of file === null ? generateLedgerQa(parsed.data) : readLedgerLines(file)) {
    if (wanted.size === 0) break;
    const hash = wanted.get(line.id);
    if (hash === undefined || !wanted.delete(line.id)) continue;
    const context = lineToEvalContext(line);
    const asked = file === null ? context.questions : spreadQuestions(context.questions, (q) => q.category, questions);
    if (contextLine({ ...context, questions: asked }).hash === hash) truths.set(line.id, truthOf(line));
  }
  return truths;
}

export function truthOf({
  chunks,
  ledger,
  questions,
}: Pick<LedgerLine, "chunks" | "ledger" | "questions">): LedgerTruth {
  const sessions = chunks.map(() => ({ recorded: [] as ToldTransaction[], changes: [] as ToldChange[] }));
  for (const { id, date, subscene, item, history } of ledger) {
    const about = { id, date, subscene, item };
    const first = history[0]!.session;
    const said = history.flatMap(({ session, after }) => (session === first && after !== null ? [centsOf(after)] : []));
    sessions[first]!.recorded.push({ ...about, said });
    for (const { session, before, after } of history)
      if (session !== first && before !== null)
        sessions[session]!.changes.push({
          ...about,
          before: centsOf(before),
          after: after === null ? null : centsOf(after),
        });
  }
  return { sessions, queries: new Map(questions.map(({ id, query }) => [id, query])) };
}

const centsOf = (amount: string) => Math.round(Number(amount) * 100);
