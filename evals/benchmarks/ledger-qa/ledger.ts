/**
 * The structured ledger behind a stream of dialogues, with lineage: which session recorded, corrected, edited or
 * refunded each transaction, in which lines (UMA §3.1; the answers are computed from it, never from text).
 *
 * Rules, the same for gold answers and for anyone who reads the dialogues:
 *  1. A spending belongs to the date of the session that records it.
 *  2. A correction (same session) or an edit (later session) replaces the amount. The date stays the original one.
 *  3. A partial refund lowers the amount of that transaction, on its original date, by what came back. It is no income
 *     and no transaction of its own, and it changes nothing on the day it is told.
 *  4. A full refund removes the transaction: it is in no sum, no maximum and no count of transactions.
 *  5. Later changes start from the amount as it stands then.
 */
import type { Act } from "./acts.ts";
import { formatCents } from "./money.ts";
import { type Scene, type Subscene, sceneOf } from "./taxonomy.ts";

export interface LedgerChange {
  readonly op: "record" | "correct" | "edit" | "refund";
  /** 0-based session that said so. */
  readonly session: number;
  /** 0-based lines of that session's chunk. */
  readonly lines: readonly number[];
  /** null before the record. */
  readonly before: string | null;
  /** null after a full refund. */
  readonly after: string | null;
}

export interface LedgerTransaction {
  readonly id: string;
  readonly date: string;
  readonly scene: Scene;
  readonly subscene: Subscene;
  /** The words the dialogue uses for it. */
  readonly item: string;
  /** As it stands at the end of the stream, e.g. "12.50"; null when fully refunded. */
  readonly amount: string | null;
  /** The record first, then every change in the order it was said. */
  readonly history: readonly LedgerChange[];
}

export interface ToldAct {
  readonly act: Act;
  readonly lines: readonly number[];
}

export interface ToldSession {
  readonly date: string;
  readonly acts: readonly ToldAct[];
}

/** A transaction that still counts. */
export interface Spending {
  readonly date: string;
  readonly scene: string;
  readonly subscene: string;
  readonly amount: string;
}

/** Folds what was told, in order, into the ledger; transactions in the order they were recorded. */
export function ledgerOf(sessions: readonly ToldSession[]): LedgerTransaction[] {
  const ledger = new Map<string, LedgerTransaction>();
  sessions.forEach(({ date, acts }, session) => {
    for (const { act, lines } of acts) {
      if (act.kind === "spend") {
        for (const { id, subscene, item, cents } of act.entries) {
          const amount = formatCents(cents);
          const record: LedgerChange = { op: "record", session, lines, before: null, after: amount };
          ledger.set(id, { id, date, scene: sceneOf(subscene), subscene, item, amount, history: [record] });
        }
        continue;
      }
      const held = ledger.get(act.id)!;
      const after = act.after === null ? null : formatCents(act.after);
      const change: LedgerChange = { op: act.kind, session, lines, before: held.amount, after };
      ledger.set(act.id, { ...held, amount: after, history: [...held.history, change] });
    }
  });
  return [...ledger.values()];
}

/** The transactions that count: everything but what was fully refunded. */
export const standing = (ledger: readonly LedgerTransaction[]): Spending[] =>
  ledger.flatMap(({ date, scene, subscene, amount }) => (amount === null ? [] : [{ date, scene, subscene, amount }]));
