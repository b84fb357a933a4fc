/**
 * Taking what was deleted out of the file. `secure_delete` alone does not: rows that SQLite moved between pages leave
 * copies in the unused parts. So the file is written anew and its log is emptied.
 *
 * A deletion leaves a mark in the same transaction, and the mark goes when the wipe is done: one that was interrupted is
 * made up for at the next deletion or when the store is opened.
 */
import { messageOf, UmaError } from "../../base/errors.ts";
import type { Connection } from "./sqlite-file.ts";

/** Does nothing when nothing was deleted. Throws `store` when the bytes are still there. */
export function wipeDeleted(db: Connection, path: string): void {
  const mark = db.prepare("SELECT max(mark) FROM unwiped").pluck().get() as number | null;
  if (mark === null) return;
  try {
    db.exec("VACUUM");
    const [state] = db.pragma("wal_checkpoint(TRUNCATE)") as { busy: number }[];
    if (state?.busy === 1) throw new Error("another process is reading the store");
    // later marks are of deletions that this wipe has not seen
    db.prepare("DELETE FROM unwiped WHERE mark <= ?").run(mark);
  } catch (cause) {
    throw new UmaError(
      "store",
      `memory store ${path}: deleted, but the bytes are still in the file: ${messageOf(cause)}`,
      {
        fix: "end other processes that use the store and free some space, then delete again",
        cause,
      },
    );
  }
}
