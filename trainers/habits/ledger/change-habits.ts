/** What a session does about an edit or a refund of an earlier day: whether it tries, on which entry, and to what effect. */
import type { CallRecord } from "../../../nodes/session/record.ts";
import type { Tally } from "../habit.ts";
import { isMentioned, isNamed, likeness } from "./match-facts.ts";
import { type EntryFact, factsIn, type SessionBank, without } from "./session-bank.ts";
import type { ToldChange } from "./truth.ts";
import { dateIn, type Fact } from "./written-facts.ts";

export interface ChangeSetting {
  readonly calls: readonly CallRecord[];
  readonly bank: SessionBank;
  readonly records: boolean;
  /** Of the session. */
  readonly date: string | null;
  /** Transaction id → the entry that holds it; changed where a new entry takes a transaction over. */
  readonly holders: Map<string, string>;
}

/** Counts each change, and gives the new facts that belong to one of them. */
export function countChangeHabits(
  changes: readonly ToldChange[],
  setting: ChangeSetting,
  tally: Tally,
): ReadonlySet<EntryFact> {
  const { bank, holders } = setting;
  const attempts = attemptsOf(changes, setting);
  const used = new Set<EntryFact>();
  changes.forEach((change, k) => {
    const holder = holders.get(change.id);
    const own = attempts[k]!;
    tally.count("editAttempted", own.length > 0);
    for (const fact of bank.written) if (isAbout(fact, change, setting)) used.add(fact);
    if (holder === undefined || !bank.before.has(holder)) return;
    if (own.length > 0)
      tally.count(
        "editRightEntry",
        own.some((call) =>
          [...call.writes.map(({ entry }) => entry), ...call.reads.map(({ id }) => id)].includes(holder),
        ),
      );
    tally.count("editRight", isRight(change, holder, setting));
  });
  return used;
}

const reaching = new Set(["memory_update", "memory_delete", "memory_key_retrieve"]);

/**
 * The calls that go for each change: those that reach for an entry of an earlier day by its title, to the change that they
 * are most like, and an entry that is written anew for the change's day and category.
 */
function attemptsOf(changes: readonly ToldChange[], { calls, bank, date, holders }: ChangeSetting): CallRecord[][] {
  const attempts = changes.map((): CallRecord[] => []);
  const own = new Set<string>();
  for (const call of calls) {
    const title = typeof call.args?.title === "string" ? call.args.title : "";
    const day = dateIn(title);
    if (day !== null && day === date) continue;
    const reaches = reaching.has(call.name);
    if (reaches ? own.has(title) : call.name !== "memory_add") continue;
    if (!reaches && call.writes.length > 0) own.add(title);
    const text = `${title}\n${typeof call.args?.content === "string" ? call.args.content : ""}`.toLowerCase();
    const scores = changes.map((change, k) => {
      const mentioned = isMentioned(text, change);
      if (!reaches) return mentioned && text.includes(change.date) ? 1 : 0;
      const holder = holders.get(change.id);
      const isHolder = holder !== undefined && bank.before.get(holder)?.title === title;
      const likes =
        (isHolder ? 8 : 0) + (text.includes(change.date) ? 4 : 0) + (mentioned ? 2 : 0) + (day !== null ? 1 : 0);
      // of changes that it is equally like, one that has no call yet
      return likes === 0 ? 0 : likes + (attempts[k]!.length === 0 ? 0.5 : 0);
    });
    const best = Math.max(...scores);
    if (best > 0) attempts[scores.indexOf(best)]!.push(call);
  }
  return attempts;
}

/** A new fact that carries the change out, or tries to: in the holder's entry, or in the place of one of that day. */
function isAbout(fact: EntryFact, change: ToldChange, { bank, date, holders }: ChangeSetting): boolean {
  if (fact.date !== null && fact.date === date) return false;
  if (fact.entry === holders.get(change.id)) return true;
  if (fact.date === change.date && isNamed(fact, change)) return true;
  return bank.gone.some((was) => was.entry === fact.entry && was.date === fact.date);
}

/** Whether the holder says what the user says now, and all else in it is as it was. */
function isRight(change: ToldChange, holder: string, { bank, records, holders }: ChangeSetting): boolean {
  const style = { records };
  const facts = factsIn(bank.before, holder, style);
  const was = bestOf(facts, change);
  if (was === null) return false;
  const others = facts.filter((fact) => fact !== was);
  const now = factsIn(bank.after, holder, style);
  if (without(others, now).length > 0) return false;
  const left = without(now, others);
  const dated = (fact: Fact) => fact.date === change.date || fact.date === was.date;
  const { after } = change;
  if (after === null) return left.length === 0 || (!records && left.length === 1 && takenBack.test(left[0]!.words));
  if (left.length === 1) return left[0]!.amounts.includes(after) && dated(left[0]!);
  if (left.length > 1) return false;
  // taken out here and written anew elsewhere
  const moved = bank.written.find(
    (fact) => fact.entry !== holder && dated(fact) && isNamed(fact, change) && fact.amounts.includes(after),
  );
  if (moved) holders.set(change.id, moved.entry);
  return moved !== undefined;
}

const takenBack = /\b(?:refund|cancel|void|remov|delet)/;

function bestOf(facts: readonly EntryFact[], change: ToldChange): EntryFact | null {
  let best: EntryFact | null = null;
  let most = 0;
  for (const fact of facts) {
    const score = likeness(fact, change, [change.before]);
    if (score > most) [best, most] = [fact, score];
  }
  return best;
}
