/** Phase I: see what the bank holds of the days a chunk speaks of, write what changes, then give the core. */
import type { ScriptedReply, ScriptedTurn } from "../scripted-chat-model.ts";
import { estimateTokens } from "../token-estimator.ts";
import { type BankView, type Call, viewBank } from "./bank-view.ts";
import { busiestTitle } from "./busiest-dates.ts";
import { fileSessions } from "./file-sessions.ts";
import { readSummary } from "./pages.ts";
import { allYears, groupOf, monthOf, periodsOf, yearFilter, yearOf } from "./periods.ts";
import type { Session } from "./read-sessions.ts";

const topic = "The user reports daily spending in chats.";
/** Also tells the next session that the bank holds a ledger, so it does not have to look for one. */
export const ledgerCore = `${topic} The bank keeps it as a ledger: an entry for each day, and totals by five days, month and year.`;
/** Stays in the core from then on, so that no answer is taken for more than it is. */
export const gap = "Not all of it could be filed.";
const noSpending = "No spending was found in what was read so far.";

/** `sessions`: what the chunk says, null when it is no dialogue. */
export function keepBooks(turn: ScriptedTurn, sessions: readonly Session[] | null, core: string): ScriptedReply {
  const told = (sessions ?? []).filter(({ spendings, changes }) => spendings.length > 0 || changes.length > 0);
  if (told.length === 0) return { text: core.trim() || noSpending };

  const view = viewBank(turn.exchanges);
  const isLedger = core.includes(ledgerCore) || view.exists(allYears.title) === true;
  const unfinished: ScriptedReply = { text: `${isLedger ? ledgerCore : topic} ${gap}` };
  const next = (calls: readonly Call[]): ScriptedReply => {
    const offered = calls.filter(({ name }) => turn.tools.has(name)).slice(0, view.callsPerTurn);
    return offered.length > 0 ? { calls: offered } : unfinished;
  };
  // an entry that was seen in part only must not be written over
  if (view.cut.size > 0) return unfinished;
  const lookUps = nextLookUps(told, view, isLedger);
  if (lookUps.length > 0) return next(lookUps);

  const { writes, unresolved } = fileSessions(told, (title) => view.contents.get(title) ?? null);
  const open = writes.filter(({ name, args }) => !view.wrote(name, args.title));
  // books that are brought up to date in part only would be wrong
  if (tokensOf(open) > turn.maxTokens) return unfinished;
  if (open.length > 0) return next(open);
  if (!isLedger && writes.length === 0) return unfinished;
  return { text: unresolved.length > 0 || core.includes(gap) ? `${ledgerCore} ${gap}` : ledgerCore };
}

const tokensOf = (calls: readonly Call[]) =>
  calls.reduce((sum, { name, args }) => sum + estimateTokens(`${name} ${JSON.stringify(args)}`), 0);

/** The look-ups that the filing needs and has not had; each kind waits for what the one before it tells. */
function nextLookUps(sessions: readonly Session[], view: BankView, isLedger: boolean): Call[] {
  const list = (filter: string): Call[] =>
    view.askedFor(filter) ? [] : [{ name: "memory_list", args: filter === "" ? {} : { filter } }];
  const read = (title: string): Call[] =>
    view.contents.has(title) || view.cut.has(title) ? [] : [{ name: "memory_key_retrieve", args: { title } }];

  if (!isLedger) {
    // a first chunk, or a bank that others have written to
    if (!view.askedFor("")) return list("");
    if (view.exists(allYears.title) === null) return list(allYears.title);
  }
  const changed = new Set(sessions.flatMap(({ changes }) => changes.map(({ date }) => date)));
  const spent = new Set(sessions.flatMap(({ spendings, date }) => (spendings.length > 0 ? [date] : [])));
  const first = [
    ...(isLedger ? [...read(allYears.title), ...read(busiestTitle)] : []),
    ...[...changed].flatMap((date) => (spent.has(date) || view.exists(date) !== null ? [] : list(date))),
  ];
  if (first.length > 0) return first;

  const all = isLedger ? view.contents.get(allYears.title) : null;
  const latest = all ? readSummary(all).latest : null;
  /** Chunks come in the order of their days, so most often the last day filed tells what is there. */
  const isThere = (title: string, date: string): boolean | null => {
    const known = view.exists(title);
    if (known !== null || latest === null || date <= latest) return known;
    return periodsOf(latest).some((period) => period.title === title);
  };
  const missing = (title: string, date: string, filter: string) => (isThere(title, date) === null ? list(filter) : []);
  const second = [...spent].flatMap((date) => {
    const month = date.slice(0, 7);
    return [
      ...missing(date, date, month),
      ...missing(groupOf(date).title, date, month),
      ...missing(monthOf(date).title, date, month),
      ...missing(yearOf(date).title, date, yearFilter),
    ];
  });
  if (second.length > 0) return unique(second);

  const titles = new Set([
    ...[...spent].flatMap((date) =>
      [date, ...periodsOf(date).map(({ title }) => title)].filter((title) => isThere(title, date) !== false),
    ),
    // where a day is, its periods are
    ...[...changed].flatMap((date) => (view.exists(date) ? [date, ...periodsOf(date).map(({ title }) => title)] : [])),
  ]);
  return [...titles].flatMap(read);
}

function unique(calls: readonly Call[]): Call[] {
  return [...new Map(calls.map((call) => [JSON.stringify(call), call])).values()];
}
