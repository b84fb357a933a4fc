/** What one memory session made of the bank: the facts that were there in the entries it touched, and those that are. */
import type { SessionRecord } from "../../../nodes/session/record.ts";
import { type Fact, factsOf, type Text } from "./written-facts.ts";

/** Entry id → its title and content. */
export type Entries = ReadonlyMap<string, Text>;

export interface EntryFact extends Fact {
  readonly entry: string;
}

export interface SessionBank {
  readonly before: Entries;
  readonly after: Entries;
  /** Facts that are there now and were not, and the other way round, in the entries that the session touched. */
  readonly written: readonly EntryFact[];
  readonly gone: readonly EntryFact[];
}

/** Follows the writes of a session. Of a bank whose earlier sessions are not known, what a write says was there counts. */
export function followSession(
  known: Entries,
  { calls }: Pick<SessionRecord, "calls">,
  style: { readonly records: boolean },
): SessionBank {
  const before = new Map(known);
  const after = new Map(known);
  const touched = new Set<string>();
  for (const write of calls.flatMap((call) => call.writes)) {
    if (!touched.has(write.entry) && write.before !== null) before.set(write.entry, write.before);
    touched.add(write.entry);
    if (write.after === null) after.delete(write.entry);
    else after.set(write.entry, write.after);
  }
  const written: EntryFact[] = [];
  const gone: EntryFact[] = [];
  for (const entry of touched) {
    const was = factsIn(before, entry, style);
    const is = factsIn(after, entry, style);
    written.push(...without(is, was));
    gone.push(...without(was, is));
  }
  return { before, after, written, gone };
}

export function factsIn(entries: Entries, entry: string, style: { readonly records: boolean }): EntryFact[] {
  const text = entries.get(entry);
  return text ? factsOf(text, style).map((fact) => ({ ...fact, entry })) : [];
}

/** Each fact of `others` takes one equal one away. A new title makes no new fact. */
export function without<Written extends Fact>(facts: readonly Written[], others: readonly Fact[]): Written[] {
  const left = others.map(({ line }) => line);
  return facts.filter(({ line }) => {
    const at = left.indexOf(line);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}
