/** The store's SQLite file: its format, and how a connection is set up so that a crash leaves the old state or the new. */
import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import Database from "better-sqlite3";
import { UmaError } from "../../base/errors.ts";
import { codeOf } from "./sqlite-errors.ts";

export type Connection = Database.Database;

/** "umag" in ASCII; tells our files from those of other programs. */
const APPLICATION_ID = 0x756d6167;
const FORMAT = 1;

const SCHEMA = `
  CREATE TABLE memory (
    key INTEGER PRIMARY KEY,
    namespace TEXT NOT NULL,
    id TEXT NOT NULL,
    version INTEGER NOT NULL,
    UNIQUE (namespace, id)
  ) STRICT;
  CREATE TABLE version (
    memory INTEGER NOT NULL REFERENCES memory ON DELETE CASCADE,
    version INTEGER NOT NULL,
    codec TEXT NOT NULL,
    codec_version INTEGER NOT NULL,
    saved_at TEXT NOT NULL,
    note TEXT,
    size INTEGER NOT NULL,
    sha256 BLOB NOT NULL,
    pieces BLOB NOT NULL,
    PRIMARY KEY (memory, version)
  ) STRICT;
  CREATE TABLE piece (
    key INTEGER PRIMARY KEY,
    memory INTEGER NOT NULL REFERENCES memory ON DELETE CASCADE,
    sha256 BLOB NOT NULL,
    bytes BLOB NOT NULL,
    UNIQUE (memory, sha256)
  ) STRICT;
  CREATE TABLE unwiped (mark INTEGER PRIMARY KEY AUTOINCREMENT) STRICT;
  CREATE TRIGGER mark_unwiped AFTER DELETE ON memory BEGIN INSERT INTO unwiped VALUES (NULL); END;
`;

/** Opens or creates the file; its folder is made when it is missing. */
export function openFile(path: string, options: { busyTimeoutMs: number; maxBytes: number | undefined }): Connection {
  if (path !== ":memory:") mkdirSync(dirname(path), { recursive: true });
  const db = new Database(path, { timeout: options.busyTimeoutMs });
  try {
    // before anything is changed in a file that may not be ours
    const isNew = checkFormat(db, path);
    patiently(options.busyTimeoutMs, () => db.pragma("journal_mode = WAL"));
    db.pragma("synchronous = FULL");
    db.pragma("foreign_keys = ON");
    db.pragma("secure_delete = ON");
    if (options.maxBytes !== undefined) {
      const pageBytes = db.pragma("page_size", { simple: true }) as number;
      db.pragma(`max_page_count = ${Math.max(1, Math.floor(options.maxBytes / pageBytes))}`);
    }
    if (isNew) db.transaction(() => createSchema(db, path)).immediate();
    return db;
  } catch (thrown) {
    db.close();
    throw thrown;
  }
}

function createSchema(db: Connection, path: string): void {
  // another process may have been faster
  if (!checkFormat(db, path)) return;
  db.exec(SCHEMA);
  db.pragma(`application_id = ${APPLICATION_ID}`);
  db.pragma(`user_version = ${FORMAT}`);
}

/** True for an empty database. Throws when it is another program's, or of a format that this version cannot read. */
function checkFormat(db: Connection, path: string): boolean {
  // one snapshot: another process may be creating the file
  const { application, format, tables } = db.transaction(() => ({
    tables: db.prepare("SELECT count(*) FROM sqlite_schema").pluck().get() as number,
    application: db.pragma("application_id", { simple: true }),
    format: db.pragma("user_version", { simple: true }) as number,
  }))();
  if (application === 0 && format === 0 && tables === 0) return true;
  if (application !== APPLICATION_ID) {
    throw new UmaError("store", `${path} is an SQLite database of another program, not a memory store`, {
      fix: "choose another path",
    });
  }
  if (format !== FORMAT) {
    throw new UmaError("store", `${path} has store format ${format}; this version of umagraph reads format ${FORMAT}`, {
      fix: "update umagraph, or export the memories with the version that wrote them",
    });
  }
  return false;
}

/** The change to WAL needs the file alone, and SQLite does not wait for that by itself. */
function patiently(timeoutMs: number, step: () => void): void {
  for (const deadline = Date.now() + timeoutMs; ; ) {
    try {
      step();
      return;
    } catch (thrown) {
      if (!codeOf(thrown).startsWith("SQLITE_BUSY") || Date.now() >= deadline) throw thrown;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
    }
  }
}
