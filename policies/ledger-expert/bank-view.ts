/**
 * What a session has seen of the bank so far, from its own calls and their observations: contents, titles, what is missing.
 *
 * A policy is stateless, so each turn builds this anew; whatever is asked for and not yet seen is asked for next.
 */
import type { Exchange, ScriptedReply } from "../scripted-chat-model.ts";

export type Call = NonNullable<ScriptedReply["calls"]>[number];

/** What to look up next, or the text that ends the session. */
export type Step = { readonly calls: readonly Call[] } | { readonly text: string };

export interface BankView {
  /** Entries that were read; null for a title that is not there. */
  readonly contents: ReadonlyMap<string, string | null>;
  /** Entries that came back cut, so that what they hold is not known. */
  readonly cut: ReadonlySet<string>;
  /** Whether an entry of this title exists; null when nothing seen so far says so. */
  exists(title: string): boolean | null;
  /** The titles of a listing that came back whole, or null. */
  listed(filter: string): readonly string[] | null;
  /** Whether this listing was asked for and answered, whole or not. */
  askedFor(filter: string): boolean;
  /** Whether this very write was made. */
  wrote(name: string, title: string): boolean;
  /** Calls that a turn may hold, as far as is known. */
  readonly callsPerTurn: number;
}

/** What sessions take by default; a refusal teaches otherwise. */
const usualCallsPerTurn = 16;

export function viewBank(exchanges: readonly Exchange[]): BankView {
  const contents = new Map<string, string | null>();
  const cut = new Set<string>();
  const listings = new Map<string, { readonly titles: readonly string[]; readonly whole: boolean }>();
  const written = new Set<string>();
  let callsPerTurn = usualCallsPerTurn;
  for (const { name, args, observation } of exchanges) {
    if (observation === null) continue;
    if (observation.startsWith("Not run:")) {
      const most = /at most (\d+) calls/.exec(observation);
      if (most) callsPerTurn = Math.max(1, Number(most[1]));
      continue;
    }
    const title = String(args.title ?? "");
    if (name === "memory_list") listings.set(String(args.filter ?? ""), readListing(observation));
    else if (name !== "memory_key_retrieve") written.add(`${name} ${title}`);
    else if (isCut(observation)) cut.add(title);
    else contents.set(title, observation.startsWith(`No entry is titled "${title}"`) ? null : observation);
  }
  return {
    contents,
    cut,
    callsPerTurn,
    exists(title) {
      const content = contents.get(title);
      if (content !== undefined) return content !== null;
      for (const [filter, { titles, whole }] of listings) {
        if (titles.includes(title)) return true;
        if (whole && title.includes(filter)) return false;
      }
      return null;
    },
    listed: (filter) => {
      const listing = listings.get(filter);
      return listing?.whole ? listing.titles : null;
    },
    askedFor: (filter) => listings.has(filter),
    wrote: (name, title) => written.has(`${name} ${title}`),
  };
}

const isCut = (observation: string) =>
  /\[cut: \d+ of \d+ characters left out\]$/.test(observation) || observation.startsWith("[left out: ");

function readListing(observation: string): { titles: readonly string[]; whole: boolean } {
  try {
    const listing = JSON.parse(observation) as { titles?: unknown; left_out?: unknown };
    const titles = Array.isArray(listing.titles) ? listing.titles.filter((title) => typeof title === "string") : null;
    return { titles: titles ?? [], whole: titles !== null && listing.left_out === undefined };
  } catch {
    return { titles: [], whole: false }; // a refusal in words, or no room for it
  }
}
