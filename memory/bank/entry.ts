/** What the bank holds (UMA §2.1) and the hidden lineage that credit assignment and erasure read. */

/** Who writes: the 0-based chunk being read, or null when a person wrote by hand; and the id of the session. */
export interface Writer {
  readonly chunk: number | null;
  readonly session: string;
}

export interface Lineage {
  /** Who created the entry. */
  readonly origin: Writer;
  /** Who wrote it afterwards, oldest first, one per update. Materialised at the first read: O(number of updates). */
  readonly touches: readonly Writer[];
}

/** One titled note. The policy sees `title` and `content` only. */
export interface Entry {
  /** Stable across updates and renames, never used again after a deletion; unique within one history of a bank. */
  readonly id: string;
  readonly title: string;
  readonly content: string;
  /** 1 for a new entry, one more with each update. */
  readonly version: number;
  readonly lineage: Lineage;
}

/** What an entry said at one moment. */
export interface Text {
  readonly title: string;
  readonly content: string;
}

/** One write in the bank's journal. `before` is null for an add, `after` for a delete. */
export interface Version {
  /** The entry's id. */
  readonly entry: string;
  /** The entry's version after this write; a delete counts as one more. */
  readonly version: number;
  readonly op: "add" | "update" | "delete";
  readonly before: Text | null;
  readonly after: Text | null;
  readonly by: Writer;
}
