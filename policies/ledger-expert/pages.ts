/**
 * What the bank's summary entries say, read and written: totals of a period, days of a group, busiest dates.
 *
 * None of their lines has the form of an expense, so that `ledger_aggregate` counts each expense once, in its day's entry.
 */
import { formatCents, parseCents } from "./amounts.ts";
import { type Scene, scenes } from "./taxonomy.ts";

/** Integer cents; a scene without expenses has no key. */
export type Totals = ReadonlyMap<Scene, number>;

/** A month, a year, or all years. */
export interface Summary {
  readonly totals: Map<Scene, number>;
  /** The largest single expense of each period right below, by its key. */
  readonly largest: Map<string, number>;
  /** The last day that was filed; all years only. */
  latest: string | null;
}

/** One day inside a group. */
export interface DayRow {
  readonly totals: Totals;
  readonly largest: number;
}

/** Five days, by day of the month. */
export type Group = Map<string, DayRow>;

/** Said of a period whose expenses were all taken back. */
const nothing = "no expenses";

export const emptySummary = (): Summary => ({ totals: new Map(), largest: new Map(), latest: null });

export function printSummary({ totals, largest, latest }: Summary): string {
  const lines = printTotals(totals);
  if (largest.size > 0) lines.push(`largest: ${printPairs(largest)}`);
  if (latest !== null) lines.push(`latest day ${latest}`);
  return lines.join("\n") || nothing;
}

export function readSummary(content: string): Summary {
  const summary = emptySummary();
  for (const line of content.split("\n")) {
    if (line.startsWith("largest: "))
      for (const pair of line.slice("largest: ".length).split(", ")) putPair(summary.largest, pair);
    else if (line.startsWith("latest day ")) summary.latest = line.slice("latest day ".length);
    else putTotal(summary.totals, line);
  }
  return summary;
}

/** `05: Dining 4.50, Transportation 18.00, largest 18.00` */
export function printGroup(group: Group): string {
  const rows = [...group].sort(([a], [b]) => (a < b ? -1 : 1));
  return (
    rows
      .map(
        ([day, { totals, largest }]) =>
          `${day}: ${[...printTotals(totals), `largest ${formatCents(largest)}`].join(", ")}`,
      )
      .join("\n") || nothing
  );
}

export function readGroup(content: string): Group {
  const group: Group = new Map();
  for (const line of content.split("\n")) {
    const colon = line.indexOf(": ");
    if (colon !== 2) continue;
    const totals = new Map<Scene, number>();
    const extra = new Map<string, number>();
    for (const pair of line.slice(colon + 2).split(", "))
      if (pair.startsWith("largest ")) putPair(extra, pair);
      else putTotal(totals, pair);
    group.set(line.slice(0, colon), { totals, largest: extra.get("largest") ?? 0 });
  }
  return group;
}

const printTotals = (totals: Totals): string[] =>
  scenes.flatMap((scene) => {
    const cents = totals.get(scene);
    return cents === undefined ? [] : [`${scene} ${formatCents(cents)}`];
  });

const printPairs = (pairs: ReadonlyMap<string, number>): string =>
  [...pairs]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, cents]) => `${key} ${formatCents(cents)}`)
    .join(", ");

function putPair(pairs: Map<string, number>, text: string): void {
  const blank = text.lastIndexOf(" ");
  const cents = parseCents(text.slice(blank + 1));
  if (blank > 0 && cents !== null) pairs.set(text.slice(0, blank), cents);
}

const isScene = new Set<string>(scenes);

function putTotal(totals: Map<Scene, number>, text: string): void {
  const blank = text.lastIndexOf(" ");
  const scene = text.slice(0, blank);
  const cents = parseCents(text.slice(blank + 1));
  if (isScene.has(scene) && cents !== null) totals.set(scene as Scene, cents);
}
