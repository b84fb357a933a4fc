/**
 * Memories in one SQLite file, usable by several processes at once: readers never wait, writers take turns.
 *
 * A save is one transaction, synced before it returns: after a crash the memory is at the old version or at the new one.
 */
import { UmaError } from "../../base/errors.ts";
import { conflict } from "./conflict.ts";
import { exportHead, exportLine, readExport } from "./export-format.ts";
import type { CodecName, MemoryKey, MemoryStore, MemorySummary, StoredMemory } from "./memory-store.ts";
import { compareKeys, decodeKey, encodeKey, encodeNamespace, nameOf, rangeBelow } from "./namespace.ts";
import { openPieces, sha256 } from "./pieces.ts";
import { guarded } from "./sqlite-errors.ts";
import { type Connection, openFile } from "./sqlite-file.ts";
import { wipeDeleted } from "./sqlite-wipe.ts";

export interface SqliteStoreOptions {
  /** How long a call waits for another process to finish writing. */
  readonly busyTimeoutMs?: number | undefined;
  /** The file does not grow beyond this; a save that needs more fails like one on a full disk. */
  readonly maxBytes?: number | undefined;
}

/** `path` may be ":memory:". The folder is created. Throws `store` when the file cannot be used. */
export function openSqliteStore(path: string, options: SqliteStoreOptions = {}): MemoryStore {
  const { busyTimeoutMs = 5_000, maxBytes } = options;
  const db = guarded(path, () => openFile(path, { busyTimeoutMs, maxBytes }));
  const guard = <T>(step: () => T) => {
    if (!db.open) throw new UmaError("store", `memory store ${path} is closed`, { fix: "open it again" });
    return guarded(path, step);
  };
  const sql = guard(() => prepare(db));
  const pieces = guard(() => openPieces(db));
  finishWipe(db, path);

  const find = (key: MemoryKey) => sql.find.get(encodeKey(key)) as MemoryRow | undefined;
  const findExpected = (key: MemoryKey, expectedVersion: number) => {
    if (!Number.isSafeInteger(expectedVersion) || expectedVersion < 0) {
      throw new UmaError(
        "config",
        `expectedVersion must be a whole number, 0 for a new memory, got ${expectedVersion}`,
      );
    }
    const row = find(key);
    const actual = row?.version ?? 0;
    if (actual !== expectedVersion) throw conflict(key, expectedVersion, actual);
    return row;
  };
  const insertMemory = (key: MemoryKey) => Number(sql.insert.run(encodeKey(key)).lastInsertRowid);
  const insertVersion = (memory: number, version: number, { bytes, codec, note, savedAt }: Value) => {
    sql.insertVersion.run({
      memory,
      version,
      codec: JSON.stringify(codec.name),
      codecVersion: codec.version,
      savedAt,
      note: note === null ? null : JSON.stringify(note),
      size: bytes.length,
      sha256: sha256(bytes),
      pieces: pieces.save(memory, bytes),
    });
    sql.setVersion.run({ memory, version });
  };
  const historyOf = (key: MemoryKey) => (sql.history.all(encodeKey(key)) as VersionRow[]).map(summaryOf);

  const saveOne = db.transaction((key: MemoryKey, value: Value, expectedVersion: number) => {
    const memory = findExpected(key, expectedVersion)?.key ?? insertMemory(key);
    insertVersion(memory, expectedVersion + 1, value);
    return expectedVersion + 1;
  });
  const replaceAll = db.transaction((key: MemoryKey, values: readonly Value[], expectedVersion: number) => {
    const replaced = findExpected(key, expectedVersion);
    if (replaced !== undefined) sql.remove.run({ memory: replaced.key });
    const memory = insertMemory(key);
    for (const [index, value] of values.entries()) insertVersion(memory, index + 1, value);
    return historyOf(key).at(-1)!;
  });
  const storedOf = (row: VersionRow, bytes: Uint8Array): StoredMemory => {
    const summary = summaryOf(row);
    if (sha256(bytes).equals(row.sha256)) return { ...summary, bytes };
    throw new UmaError(
      "store",
      `memory ${nameOf(summary)} in ${path}: the bytes of version ${row.version} are damaged`,
      {
        fix: "load an earlier version, or restore the file from a copy",
      },
    );
  };
  const loadOne = db.transaction((key: MemoryKey, version: number | undefined): StoredMemory | null => {
    const row = sql.load.get({ ...encodeKey(key), version: version ?? null }) as VersionRow | undefined;
    return row === undefined ? null : storedOf(row, pieces.load(row.memory, row.pieces));
  });
  const loadAll = db.transaction((key: MemoryKey) => {
    const rows = sql.history.all(encodeKey(key)) as VersionRow[];
    const [first] = rows;
    return first === undefined ? null : { rows, bytesOf: pieces.loadAll(first.memory) };
  });

  return {
    save(key, { bytes, codec, note = null }, { expectedVersion }) {
      if (!(bytes instanceof Uint8Array)) throw new UmaError("config", "a memory is saved as bytes (Uint8Array)");
      const value = { bytes, codec, note, savedAt: new Date().toISOString() };
      return guard(() => saveOne.immediate(key, value, expectedVersion));
    },
    load: (key, { version } = {}) => guard(() => loadOne.deferred(key, version)),
    list: (namespace, { recursive = false } = {}) =>
      guard(() => {
        const { from, to } = recursive ? rangeBelow(namespace) : { from: "", to: "" };
        const rows = sql.list.all({ exact: encodeNamespace(namespace), from, to }) as VersionRow[];
        return rows.map(summaryOf).sort(compareKeys);
      }),
    history: (key) => guard(() => historyOf(key)),
    delete: (key) =>
      guard(() => {
        const row = find(key);
        const deleted = row !== undefined && sql.remove.run({ memory: row.key }).changes > 0;
        // also when there was nothing: an earlier call may have been interrupted
        wipeDeleted(db, path);
        return deleted;
      }),
    exportJsonl(key) {
      // all in one transaction: whoever takes the lines slowly gets no version of a memory that was made meanwhile
      const taken = guard(() => loadAll.deferred(key));
      if (taken === null) throw new UmaError("input", `there is no memory ${nameOf(key)} in ${path}`);
      const { rows, bytesOf } = taken;
      return (function* () {
        yield exportHead(key, rows.length);
        for (const row of rows) yield exportLine(storedOf(row, bytesOf(row.pieces)));
      })();
    },
    importJsonl(lines, { as, expectedVersion = 0 } = {}) {
      const exported = readExport(lines);
      return guard(() => {
        const summary = replaceAll.immediate(as ?? exported.key, exported.versions, expectedVersion);
        wipeDeleted(db, path);
        return summary;
      });
    },
    close: () => guarded(path, () => db.close()),
  };
}

/** Of an earlier process. Memories can be read and written without it, so it may fail. */
function finishWipe(db: Connection, path: string): void {
  try {
    wipeDeleted(db, path);
  } catch {
    // the marks stay: the next deletion or opening tries again
  }
}

interface Value {
  readonly bytes: Uint8Array;
  readonly codec: CodecName;
  readonly note: string | null;
  readonly savedAt: string;
}

interface MemoryRow {
  readonly key: number;
  readonly version: number;
}

interface VersionRow {
  readonly memory: number;
  readonly namespace: string;
  readonly id: string;
  readonly version: number;
  readonly codec: string;
  readonly codec_version: number;
  readonly saved_at: string;
  readonly note: string | null;
  readonly size: number;
  readonly sha256: Buffer;
  readonly pieces: Buffer;
}

function prepare(db: Connection) {
  const versions = "SELECT m.namespace, m.id, v.* FROM version v JOIN memory m ON m.key = v.memory";
  return {
    find: db.prepare("SELECT key, version FROM memory WHERE namespace = @namespace AND id = @id"),
    insert: db.prepare("INSERT INTO memory (namespace, id, version) VALUES (@namespace, @id, 0)"),
    setVersion: db.prepare("UPDATE memory SET version = @version WHERE key = @memory"),
    remove: db.prepare("DELETE FROM memory WHERE key = @memory"),
    insertVersion: db.prepare(
      `INSERT INTO version (memory, version, codec, codec_version, saved_at, note, size, sha256, pieces)
       VALUES (@memory, @version, @codec, @codecVersion, @savedAt, @note, @size, @sha256, @pieces)`,
    ),
    load: db.prepare(
      `${versions} WHERE m.namespace = @namespace AND m.id = @id AND v.version = coalesce(@version, m.version)`,
    ),
    history: db.prepare(`${versions} WHERE m.namespace = @namespace AND m.id = @id ORDER BY v.version`),
    list: db.prepare(
      `${versions} WHERE v.version = m.version
         AND (m.namespace = @exact OR (m.namespace >= @from AND m.namespace < @to))`,
    ),
  };
}

function summaryOf(row: VersionRow): MemorySummary {
  return {
    ...decodeKey(row),
    version: row.version,
    codec: { name: JSON.parse(row.codec) as string, version: row.codec_version },
    savedAt: row.saved_at,
    note: row.note === null ? null : (JSON.parse(row.note) as string),
    size: row.size,
  };
}
