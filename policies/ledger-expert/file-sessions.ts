/**
 * Files what a chunk says: which entries change, and to what (phase I).
 *
 * A day's entry holds its expenses, one a line. Above it stand the totals of its five-day group, its month, its year and of
 * all years, and the busiest dates; every expense, edit and refund brings all of them up to date, exactly.
 */

import { applyChange, type Change } from "./apply-change.ts";
import { type BusiestByScene, busiestTitle, printBusiest, readBusiest, withCount } from "./busiest-dates.ts";
import { emptySummary, type Group, printGroup, printSummary, readGroup, readSummary, type Summary } from "./pages.ts";
import { allYears, groupOf, monthOf, type Period, yearOf } from "./periods.ts";
import type { Session } from "./read-sessions.ts";
import { fromLine, type Spending, toLine } from "./spending.ts";
import type { Scene } from "./taxonomy.ts";

export interface EntryWrite {
  readonly name: "memory_add" | "memory_update" | "memory_delete";
  readonly args: { readonly title: string; readonly content?: string };
}

export interface Filing {
  readonly writes: readonly EntryWrite[];
  /** Changes of expenses that the bank does not hold. */
  readonly unresolved: readonly Change[];
}

/** `contentOf`: an entry as it stands, null when there is none. */
export function fileSessions(sessions: readonly Session[], contentOf: (title: string) => string | null): Filing {
  const days = new Map<string, Day>();
  const dayOf = (date: string): Day => getOrMake(days, date, () => openDay(date, contentOf(date)));
  const unresolved: Change[] = [];
  for (const { date, spendings, changes } of sessions) {
    if (spendings.length > 0) dayOf(date).after.push(...spendings);
    for (const change of changes) {
      const day = dayOf(change.date);
      const changed = applyChange(day.after, change);
      if (changed) day.after = changed;
      else unresolved.push(change);
    }
  }

  const writes: EntryWrite[] = [];
  const write = (title: string, content: string | null) => {
    const before = contentOf(title);
    if (content === before) return;
    if (content === null) writes.push({ name: "memory_delete", args: { title } });
    else writes.push({ name: before === null ? "memory_add" : "memory_update", args: { title, content } });
  };
  const pages = openPages(contentOf);
  for (const [date, day] of days) {
    const lines = [...day.after.map(toLine), ...day.otherLines];
    write(date, lines.length === 0 ? null : lines.join("\n"));
    pages.change(date, day);
  }
  for (const [title, content] of pages.print()) write(title, content);
  return { writes, unresolved };
}

interface Day {
  readonly before: readonly Spending[];
  after: Spending[];
  /** Lines of the entry that are no expenses, kept as they are. */
  readonly otherLines: readonly string[];
}

function openDay(date: string, content: string | null): Day {
  const before: Spending[] = [];
  const otherLines: string[] = [];
  for (const line of content ? content.split("\n") : []) {
    const spending = fromLine(line);
    if (spending?.date === date) before.push(spending);
    else otherLines.push(line);
  }
  return { before, after: [...before], otherLines };
}

/** The entries above the days, each read once and printed once, whatever number of days changes them. */
function openPages(contentOf: (title: string) => string | null) {
  const summaries = new Map<string, Summary>();
  const groups = new Map<string, Group>();
  let busiest: BusiestByScene | null = null;
  const summaryOf = ({ title }: Period) =>
    getOrMake(summaries, title, () => {
      const content = contentOf(title);
      return content === null ? emptySummary() : readSummary(content);
    });

  return {
    change(date: string, { before, after }: Day): void {
      if (before.length === after.length && before.every((spending, i) => spending === after[i])) return;
      const [group, month, year] = [groupOf(date), monthOf(date), yearOf(date)];
      const rows = getOrMake(groups, group.title, () => readGroup(contentOf(group.title) ?? ""));
      const largest = largestOf(after);
      if (largest === null) rows.delete(date.slice(8));
      else rows.set(date.slice(8), { totals: totalsOf(after), largest });

      // each level tells the one above it the largest single expense of its own
      let below: { readonly key: string; readonly largest: number | null } = {
        key: group.key,
        largest: maximum([...rows.values()].map((row) => row.largest)),
      };
      const difference = [...after, ...before.map((spending) => ({ ...spending, cents: -spending.cents }))];
      for (const period of [month, year, allYears]) {
        const summary = summaryOf(period);
        addTo(summary.totals, difference);
        if (below.largest === null) summary.largest.delete(below.key);
        else summary.largest.set(below.key, below.largest);
        below = { key: period.key, largest: maximum([...summary.largest.values()]) };
      }
      const all = summaryOf(allYears);
      if (all.latest === null || date > all.latest) all.latest = date;

      busiest ??= readBusiest(contentOf(busiestTitle) ?? "");
      const counts = [countsOf(before), countsOf(after)] as const;
      for (const scene of new Set([...counts[0].keys(), ...counts[1].keys()])) {
        const count = counts[1].get(scene) ?? 0;
        if (count !== (counts[0].get(scene) ?? 0)) busiest.set(scene, withCount(busiest.get(scene), date, count));
      }
    },
    *print(): Generator<[title: string, content: string]> {
      for (const [title, rows] of groups) yield [title, printGroup(rows)];
      for (const [title, summary] of summaries) yield [title, printSummary(summary)];
      if (busiest) yield [busiestTitle, printBusiest(busiest)];
    },
  };
}

function totalsOf(spendings: readonly Spending[]): Map<Scene, number> {
  const totals = new Map<Scene, number>();
  addTo(totals, spendings);
  return totals;
}

function addTo(totals: Map<Scene, number>, spendings: readonly Spending[]): void {
  for (const { scene, cents } of spendings) totals.set(scene, (totals.get(scene) ?? 0) + cents);
  for (const [scene, cents] of totals) if (cents === 0) totals.delete(scene);
}

function countsOf(spendings: readonly Spending[]): Map<Scene, number> {
  const counts = new Map<Scene, number>();
  for (const { scene } of spendings) counts.set(scene, (counts.get(scene) ?? 0) + 1);
  return counts;
}

const largestOf = (spendings: readonly Spending[]) => maximum(spendings.map(({ cents }) => cents));
const maximum = (values: readonly number[]): number | null => (values.length === 0 ? null : Math.max(...values));

function getOrMake<Value>(map: Map<string, Value>, key: string, make: () => Value): Value {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}
