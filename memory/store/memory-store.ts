/**
 * Where memories outlive a process: by namespace and id, with a history of versions and compare-and-set writes.
 *
 * A store keeps bytes and the name of their codec, so memories of every variant fit. Implementations pass the suite in
 * `tests/contracts/memory-store.ts`. All methods throw `store` when the medium fails.
 */

/** Any strings, also empty ones; segments and ids are compared exactly, namespaces segment by segment. */
export interface MemoryKey {
  readonly namespace: readonly string[];
  readonly id: string;
}

export interface CodecName {
  readonly name: string;
  readonly version: number;
}

/** What is known about one version without its bytes. */
export interface MemorySummary extends MemoryKey {
  /** 1 for the first save, one more with each. */
  readonly version: number;
  readonly codec: CodecName;
  /** ISO 8601 in UTC. */
  readonly savedAt: string;
  readonly note: string | null;
  /** Length of the bytes. */
  readonly size: number;
}

export interface StoredMemory extends MemorySummary {
  readonly bytes: Uint8Array;
}

export interface MemoryStore {
  /**
   * Saves the next version and returns its number. `expectedVersion` is the version that was changed, 0 for a memory
   * that must not exist yet. Throws `conflict` when the memory is at another version; then nothing is saved.
   */
  save(
    key: MemoryKey,
    value: { readonly bytes: Uint8Array; readonly codec: CodecName; readonly note?: string | null },
    options: { readonly expectedVersion: number },
  ): number;
  /** The latest version, or the given one; null when there is none. Throws `store` when its bytes are damaged. */
  load(key: MemoryKey, options?: { readonly version?: number | undefined }): StoredMemory | null;
  /**
   * The latest version of every memory in exactly this namespace; `recursive` also of those in namespaces that begin
   * with these segments. Ordered by namespace, then id, by code unit.
   */
  list(namespace: readonly string[], options?: { readonly recursive?: boolean | undefined }): MemorySummary[];
  /** Every version, oldest first; empty for an unknown memory. */
  history(key: MemoryKey): MemorySummary[];
  /**
   * Deletes the memory and its whole history, also from the medium. False when there was none. A memory saved under the
   * key afterwards is a new one and starts at version 1.
   */
  delete(key: MemoryKey): boolean;
  /**
   * The memory with its history as plain JSON values, one a line: a head, then each version, oldest first. As it is at
   * the call, however slowly the lines are taken and whatever is saved or deleted meanwhile.
   */
  exportJsonl(key: MemoryKey): Iterable<object>;
  /**
   * Restores what `exportJsonl` gave, versions, times and notes included, all or nothing; under another key with `as`.
   * `expectedVersion` as for `save`: by default the memory must not exist; a memory at that version is replaced.
   * Throws `input` for lines that are incomplete or damaged.
   */
  importJsonl(
    lines: Iterable<unknown>,
    options?: { readonly as?: MemoryKey | undefined; readonly expectedVersion?: number | undefined },
  ): MemorySummary;
  /** Ends the use of the store; can be called twice. */
  close(): void;
}
