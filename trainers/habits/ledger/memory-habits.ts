/**
 * How one trajectory's memory sessions keep the ledger: what they drop, write wrong, invent, correct and edit.
 *
 * The bank is followed write by write, so that an edit is judged by what the bank held of the transaction, and not by the
 * title it should have had. Sessions without a record (a failed one changes nothing) leave their transactions unheld.
 */
import type { SessionRecord } from "../../../nodes/session/record.ts";
import type { Tally } from "../habit.ts";
import { countChangeHabits } from "./change-habits.ts";
import { isNamed, matchFacts } from "./match-facts.ts";
import { type Entries, type EntryFact, followSession } from "./session-bank.ts";
import type { LedgerTruth, ToldTransaction } from "./truth.ts";
import { holdsRecord } from "./written-facts.ts";

/** `sessions`: finished memory sessions of one trajectory. */
export function countMemoryHabits(sessions: readonly SessionRecord[], truth: LedgerTruth, tally: Tally): void {
  const texts = sessions.flatMap(({ calls }) =>
    calls.flatMap(({ writes }) => writes.flatMap(({ after }) => after ?? [])),
  );
  const records = texts.some(holdsRecord);
  const holders = new Map<string, string>();
  let entries: Entries = new Map();
  for (const session of sessions.toSorted((a, b) => a.position - b.position)) {
    const told = truth.sessions[session.position];
    if (!told) continue;
    const bank = followSession(entries, session, { records });
    const date = told.recorded[0]?.date ?? null;
    const setting = { calls: session.calls, bank, records, date, holders };
    const edits = countChangeHabits(told.changes, setting, tally);
    const fresh = bank.written.filter((fact) => !edits.has(fact));
    const { pairs, unwritten, invented } = matchFacts(told.recorded, fresh);
    if (told.recorded.length > 0) tally.count("droppedTransaction", unwritten.length > 0);
    for (const { told: transaction, fact } of pairs) {
      countWritten(transaction, fact, tally);
      tally.count("inventedEntry", false);
      holders.set(transaction.id, fact.entry);
    }
    for (const _ of invented) tally.count("inventedEntry", true);
    entries = bank.after;
  }
}

function countWritten(told: ToldTransaction, fact: EntryFact, tally: Tally): void {
  const stands = told.said.at(-1)!;
  if (fact.titleDate !== null) tally.count("wrongTitleDate", !told.date.startsWith(fact.titleDate));
  tally.count("wrongDate", fact.date !== told.date);
  tally.count("wrongAmount", !told.said.some((cents) => fact.amounts.includes(cents)));
  tally.count("wrongCategory", !isNamed(fact, told));
  if (told.said.length > 1) tally.count("correctionApplied", fact.amounts.includes(stands));
}
