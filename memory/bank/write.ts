/**
 * Writing to a bank: each function returns a new bank in O(log n) and leaves the old one as it was.
 *
 * What a model can get wrong comes back as `ok: false` with a reason and a hint; nothing is thrown for it.
 */
import { UmaError } from "../../base/errors.ts";
import type { Entry, Text, Version, Writer } from "./entry.ts";
import { entryOf, idOf, type Link, ordinalOf, textOf } from "./link.ts";
import { trieDelete, trieSet } from "./ordinal-trie.ts";
import { findLink } from "./read.ts";
import { similarTitles } from "./similar-titles.ts";
import { withoutTitle, withTitle } from "./title-index.ts";
import type { Bank } from "./value.ts";

/** `entry` is the entry as written; for a delete, as it stood before. */
export type Written =
  | { readonly ok: true; readonly bank: Bank; readonly version: Version; readonly entry: Entry }
  | { readonly ok: false; readonly reason: "missing" | "taken" | "invalid"; readonly hint: string };

/** Appends a new entry. A title that was deleted before may be used again: a new entry, with a new id, at the end. */
export function addEntry(bank: Bank, text: Text, by: Writer): Written {
  const { title, content } = text;
  if (!isTitle(title)) return invalid("title", "a non-empty string", title);
  if (typeof content !== "string") return invalid("content", "a string", content);
  if (findLink(bank, title)) return taken(title);

  const ordinal = bank.created;
  const version = versionOf({
    entry: idOf(ordinal),
    version: 1,
    op: "add",
    before: null,
    after: Object.freeze({ title, content }),
    by: writerOf(bank, by),
  });
  const link: Link = { version, previous: null, earlier: bank.last, first: version };
  return written(link, {
    ...bank,
    size: bank.size + 1,
    titles: withTitle(bank.titles, title, ordinal),
    live: trieSet(bank.live, ordinal, link),
    created: ordinal + 1,
    last: link,
  });
}

/**
 * Replaces an entry's content and, with `newTitle`, its title. It keeps its id and its place. An update that changes
 * nothing is still a write: it counts as a touch of the lineage and as a version.
 */
export function updateEntry(
  bank: Bank,
  change: Text & { readonly newTitle?: string | undefined },
  by: Writer,
): Written {
  const { title, content, newTitle = title } = change;
  if (!isTitle(title)) return invalid("title", "a non-empty string", title);
  if (!isTitle(newTitle)) return invalid("newTitle", "a non-empty string", newTitle);
  if (typeof content !== "string") return invalid("content", "a string", content);
  const held = findLink(bank, title);
  if (held === undefined) return missing(bank, title);
  if (newTitle !== title && findLink(bank, newTitle)) return taken(newTitle);

  const ordinal = ordinalOf(held.version.entry)!;
  const link = follow(bank, held, "update", Object.freeze({ title: newTitle, content }), by);
  const titles =
    newTitle === title ? bank.titles : withTitle(withoutTitle(bank.titles, title, ordinal), newTitle, ordinal);
  return written(link, { ...bank, titles, live: trieSet(bank.live, ordinal, link), last: link });
}

/** Takes an entry out of the bank; its history stays in the journal. */
export function deleteEntry(bank: Bank, title: string, by: Writer): Written {
  if (!isTitle(title)) return invalid("title", "a non-empty string", title);
  const held = findLink(bank, title);
  if (held === undefined) return missing(bank, title);

  const ordinal = ordinalOf(held.version.entry)!;
  const link = follow(bank, held, "delete", null, by);
  return written(
    held,
    {
      ...bank,
      size: bank.size - 1,
      titles: withoutTitle(bank.titles, title, ordinal),
      live: trieDelete(bank.live, ordinal),
      gone: trieSet(bank.gone, ordinal, link),
      last: link,
    },
    link.version,
  );
}

function follow(bank: Bank, held: Link, op: "update" | "delete", after: Text | null, by: Writer): Link {
  const { entry, version } = held.version;
  const next = { entry, version: version + 1, op, before: textOf(held), after, by: writerOf(bank, by) };
  return { version: versionOf(next), previous: held, earlier: bank.last, first: held.first };
}

function written(shown: Link, bank: Bank, version = shown.version): Written {
  return { ok: true, bank: Object.freeze(bank), version, entry: entryOf(shown) };
}

const versionOf = (version: Version): Version => Object.freeze(version);

/** The writer as a value of ours; a run of writes by the same one shares it. */
function writerOf(bank: Bank, by: Writer): Writer {
  const { chunk, session } = by;
  const lastWriter = bank.last?.version.by;
  if (lastWriter && lastWriter.chunk === chunk && lastWriter.session === session) return lastWriter;
  if ((chunk !== null && !(Number.isSafeInteger(chunk) && chunk >= 0)) || typeof session !== "string") {
    throw new UmaError("config", `a bank writer is a 0-based chunk (or null) and a session id, got ${show(by)}`);
  }
  return Object.freeze({ chunk, session });
}

const isTitle = (title: unknown): title is string => typeof title === "string" && title !== "";

function invalid(name: string, expected: string, got: unknown): Written {
  const came = got === "" ? "an empty string" : got === null ? "null" : Array.isArray(got) ? "an array" : typeof got;
  return { ok: false, reason: "invalid", hint: `${name} must be ${expected}, got ${came}.` };
}

function taken(title: string): Written {
  return {
    ok: false,
    reason: "taken",
    hint: `The title ${show(title)} is taken. Update that entry, or choose another title.`,
  };
}

function missing(bank: Bank, title: string): Written {
  return {
    ok: false,
    reason: "missing",
    /** Made when it is read: it takes a search. */
    get hint() {
      const near = similarTitles(bank, title, 3).map(show);
      const instead =
        bank.size === 0 ? "The bank is empty." : near.length === 0 ? "" : `Similar titles: ${near.join(", ")}.`;
      return `No entry is titled ${show(title)}. ${instead}`.trimEnd();
    },
  };
}

const LONGEST_SHOWN = 200;

/** Quoted and escaped, cut at a code point when it is long. */
function show(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  if (text.length <= LONGEST_SHOWN) return text;
  return `${text.slice(0, LONGEST_SHOWN).replace(/[\uD800-\uDBFF]$/, "")}… (${text.length} characters)`;
}
