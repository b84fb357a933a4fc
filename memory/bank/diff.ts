/** What changed from one bank to another: the view of reports, `memory show` and tests. */
import type { Entry } from "./entry.ts";
import { entryOf, type Link } from "./link.ts";
import { trieChanges } from "./ordinal-trie.ts";
import type { Bank } from "./value.ts";

export interface BankDiff {
  readonly added: readonly Entry[];
  readonly updated: readonly { readonly before: Entry; readonly after: Entry }[];
  readonly deleted: readonly Entry[];
}

/**
 * By identity, in insertion order: a rename is an update, a title that was deleted and used again is a delete and an
 * add. An entry that was only touched, with the same text as before, counts as updated (its version is higher). Two
 * branches give the same id to different entries; those are told apart by how they were created. Between snapshots of
 * one history it costs O(changes · log n).
 */
export function diffBanks(before: Bank, after: Bank): BankDiff {
  const added: Entry[] = [];
  const updated: { before: Entry; after: Entry }[] = [];
  const deleted: Entry[] = [];
  for (const change of trieChanges<Link>(before.live, after.live)) {
    if (change.before && change.after && sameOrigin(change.before, change.after)) {
      if (!sameWrites(change.before, change.after)) {
        updated.push({ before: entryOf(change.before), after: entryOf(change.after) });
      }
      continue;
    }
    if (change.before) deleted.push(entryOf(change.before));
    if (change.after) added.push(entryOf(change.after));
  }
  return { added, updated, deleted };
}

function sameOrigin(one: Link, other: Link): boolean {
  return sameVersion(one, other, "first");
}

/** Equal though not the same object: one of the banks came back from bytes. */
function sameWrites(one: Link, other: Link): boolean {
  return one.version.version === other.version.version && sameVersion(one, other, "version");
}

function sameVersion(one: Link, other: Link, which: "first" | "version"): boolean {
  const left = one[which];
  const right = other[which];
  return (
    left === right ||
    (left.after!.title === right.after!.title &&
      left.after!.content === right.after!.content &&
      left.by.chunk === right.by.chunk &&
      left.by.session === right.by.session)
  );
}
