/**
 * The bank (UMA §2.1): titled entries as an immutable value, with the lineage of every write.
 *
 * A snapshot is O(1); get, add, update, delete and rename are O(log n); insertion order survives update and rename.
 * Titles are exact: case-sensitive, untrimmed, unique.
 */
export { type BankDiff, diffBanks } from "./bank/diff.ts";
export type { Entry, Lineage, Text, Version, Writer } from "./bank/entry.ts";
export { bankSize, entriesOf, getEntry, journalOf, listTitles, versionsOf, writeLineage } from "./bank/read.ts";
export { similarTitles } from "./bank/similar-titles.ts";
export { type Bank, emptyBank } from "./bank/value.ts";
export { addEntry, deleteEntry, updateEntry, type Written } from "./bank/write.ts";
