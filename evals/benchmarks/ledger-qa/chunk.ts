/**
 * The chunk of a session, one line per turn: `[2024-02-23] User said, "…"`, and where each line stands in it.
 *
 * The content is not escaped (as in the paper's files) and never holds a line break, so a line is a turn.
 */
import type { Evidence } from "../../benchmark.ts";
import type { LedgerSession } from "./context.ts";
import type { LedgerTransaction } from "./ledger.ts";
import { concerns, type Query } from "./questions.ts";

const chunkLines = ({ date, lines }: LedgerSession): string[] =>
  lines.map(({ speaker, text }) => `[${date}] ${speaker} said, "${text}"`);

export const chunkOf = (session: LedgerSession): string => chunkLines(session).join("\n");

/** A question that rests on more lines than this has no evidence list: nothing short could stand for it. */
export const maxEvidence = 40;

/**
 * Every line that states or changes a transaction the query is about, refunded ones included: what a careful reader
 * needs, no more and no less. Undefined when there is none (a sum of nothing) or more than `maxEvidence`.
 */
export function evidenceOf(
  query: Query,
  ledger: readonly LedgerTransaction[],
  sessions: readonly LedgerSession[],
): readonly Evidence[] | undefined {
  const places = new Map<string, readonly [session: number, line: number]>();
  for (const transaction of ledger) {
    if (!concerns(query, transaction)) continue;
    for (const { session, lines } of transaction.history)
      for (const line of lines) places.set(`S${session + 1}:L${line + 1}`, [session, line]);
    if (places.size > maxEvidence) return undefined;
  }
  if (places.size === 0) return undefined;
  return [...places]
    .sort(([, [s1, l1]], [, [s2, l2]]) => s1 - s2 || l1 - l2)
    .map(([id, [session, line]]) => {
      const lines = chunkLines(sessions[session]!);
      const start = lines.slice(0, line).reduce((sum, text) => sum + text.length + 1, 0);
      return { id, chunk: session, start, end: start + lines[line]!.length };
    });
}
