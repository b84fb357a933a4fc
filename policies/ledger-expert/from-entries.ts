/** Answers a query from the bank's entries: which titles to list, which entries to read, and what they give. */
import { formatCents } from "./amounts.ts";
import { answerFromSpendings, listTop, reply, sumOf } from "./answer-query.ts";
import type { BankView, Step } from "./bank-view.ts";
import { busiestTitle, readBusiest, topDates } from "./busiest-dates.ts";
import { readSummary } from "./pages.ts";
import {
  allYears,
  groupFilter,
  monthFilter,
  monthOf,
  type Period,
  periodTitled,
  yearFilter,
  yearOf,
} from "./periods.ts";
import { endsOf, largestIn, piecesOf, placeOf, type Range, totalsIn } from "./range-pages.ts";
import type { Query } from "./read-query.ts";
import { fromLine } from "./spending.ts";

export const noLedger: Step = { text: "The memory holds no ledger of spending, so I have no answer." };
const notKept: Step = { text: "The ledger's entries are not kept in a way that answers this, so I have no answer." };

export function fromEntries(view: BankView, query: Query): Step {
  const { range } = query;
  const oneDay = range !== null && range.from === range.to;
  if (query.asks === "busiest date") return range === null ? fromBusiestDates(view, query) : notKept;
  if (oneDay) return fromDay(view, query, range.from);
  // sub-scenes are only in the days' entries, and a period's largest expense is that of all scenes
  if (query.subscene !== null || (query.asks === "largest" && query.scenes.length > 0)) return notKept;
  return range === null ? fromAllYears(view, query) : fromRange(view, query, range);
}

function fromBusiestDates(view: BankView, { scenes }: Query): Step {
  const entry = lookUp(view, [busiestTitle], [busiestTitle]);
  if ("calls" in entry) return entry;
  const content = view.contents.get(busiestTitle);
  if (typeof content !== "string") return noLedger;
  const dates = topDates(readBusiest(content).get(scenes[0]!));
  if (dates === null) return { text: "More dates share the largest count than the ledger lists, so I have no answer." };
  return { text: reply(dates.length === 0 ? null : dates.join(", "), "the entry of busiest dates") };
}

function fromDay(view: BankView, query: Query, date: string): Step {
  const entry = lookUp(view, [date, allYears.title], [date]);
  if ("calls" in entry) return entry;
  if (view.exists(allYears.title) === false) return noLedger;
  const lines = view.contents.get(date)?.split("\n") ?? [];
  const spendings = lines.map(fromLine).filter((spending) => spending !== null);
  return { text: reply(answerFromSpendings(spendings, query), "that day's entry") };
}

function fromAllYears(view: BankView, query: Query): Step {
  const entry = lookUp(view, [allYears.title], [allYears.title]);
  if ("calls" in entry) return entry;
  const content = view.contents.get(allYears.title);
  if (typeof content !== "string") return noLedger;
  const { totals, largest } = readSummary(content);
  return { text: reply(result(query, totals, maximum([...largest.values()])), "the totals of all years") };
}

function fromRange(view: BankView, query: Query, range: Range): Step {
  const filters = filtersFor(range);
  const listings = lookUp(view, filters, []);
  if ("calls" in listings) return listings;
  const years = view.listed(yearFilter);
  if (years?.length === 0) return noLedger;
  const childrenOf = (period: Period) => childrenListed(view, period);
  const pieces = query.asks === "largest" ? [] : piecesOf(range, childrenOf);
  const periods = query.asks === "largest" ? endsOf(range, childrenOf) : pieces.map(({ period }) => period);
  const entries = lookUp(
    view,
    [],
    periods.map(({ title }) => title),
  );
  if ("calls" in entries) return entries;
  const contentOf = ({ title }: Period) => view.contents.get(title) ?? null;
  const totals = totalsIn(pieces, range, (period) => contentOf(period) ?? "");
  return { text: reply(result(query, totals, largestIn(range, contentOf)), "the ledger's totals") };
}

function result(query: Query, totals: Parameters<typeof sumOf>[0], largest: number | null): string | null {
  if (query.asks === "top scene") return listTop(totals);
  if (query.asks === "largest") return largest === null ? null : formatCents(largest);
  return formatCents(sumOf(totals, query.scenes));
}

/** The listings by which the entries of a range are found: all years, and what lies across the range's ends. */
function filtersFor(range: Range): string[] {
  const filters = [yearFilter];
  for (const date of [range.from, range.to]) {
    if (placeOf(yearOf(date), range) === "across") filters.push(monthFilter(date.slice(0, 4)));
    if (placeOf(monthOf(date), range) === "across") filters.push(groupFilter(date.slice(0, 7)));
  }
  return [...new Set(filters)];
}

function childrenListed(view: BankView, { kind, key, from }: Period): Period[] {
  const filter = kind === "all" ? yearFilter : kind === "year" ? monthFilter(key) : groupFilter(from.slice(0, 7));
  const titles = kind === "group" ? [] : (view.listed(filter) ?? []);
  return titles.map(periodTitled).filter((period) => period !== null);
}

/** The calls that are still needed: listings first, then the entries that they show; `done` when everything was seen. */
function lookUp(view: BankView, filters: readonly string[], titles: readonly string[]): Step | { readonly done: true } {
  const lists = filters.filter((filter) => !view.askedFor(filter));
  if (lists.length > 0) return { calls: lists.map((filter) => ({ name: "memory_list", args: { filter } })) };
  // a listing or an entry that was cut cannot be had in full by asking again
  if (filters.some((filter) => view.listed(filter) === null) || titles.some((title) => view.cut.has(title)))
    return { calls: [] };
  const reads = [...new Set(titles)].filter((title) => view.exists(title) !== false && !view.contents.has(title));
  if (reads.length > 0) return { calls: reads.map((title) => ({ name: "memory_key_retrieve", args: { title } })) };
  return { done: true };
}

const maximum = (values: readonly number[]): number | null => (values.length === 0 ? null : Math.max(...values));
