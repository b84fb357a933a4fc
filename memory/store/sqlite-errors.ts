/** What SQLite's failures mean to the person whose memories they are. */
import { messageOf, UmaError } from "../../base/errors.ts";

/** Runs a step on the file at `path`; anything that fails comes out as an `UmaError`. */
export function guarded<T>(path: string, step: () => T): T {
  try {
    return step();
  } catch (thrown) {
    throw thrown instanceof UmaError ? thrown : storeError(path, thrown);
  }
}

export const codeOf = (thrown: unknown): string =>
  typeof thrown === "object" && thrown !== null && "code" in thrown ? String(thrown.code) : "";

/** By SQLite's primary code, or by Node's when the folder could not be made. The first that matches counts. */
const meanings: readonly [code: RegExp, problem: string, fix: string][] = [
  [
    /^SQLITE_(BUSY|LOCKED)/,
    "another process is writing to it and did not finish in time",
    "try again; if it stays so, end the process that holds the file",
  ],
  [
    /^(SQLITE_FULL|ENOSPC|EDQUOT)/,
    "there is no space left",
    "free some space, then try again: nothing was half-written",
  ],
  [
    /^SQLITE_(CORRUPT|NOTADB)/,
    "the file is damaged or is not a memory store",
    "move it away (with its -wal and -shm files) and restore a copy, or import an export",
  ],
  [
    /^(SQLITE_(READONLY|CANTOPEN|PERM|AUTH)|EACCES|EPERM|EROFS|ENOTDIR|EEXIST|EISDIR)/,
    "the file or its folder cannot be written",
    "choose a path in a folder that you may write to",
  ],
  [/^SQLITE_IOERR/, "the disk failed to read or write", "check the disk and its free space, then try again"],
];

function storeError(path: string, thrown: unknown): UmaError {
  const code = codeOf(thrown);
  const [, problem, fix] = meanings.find(([pattern]) => pattern.test(code)) ?? [
    undefined,
    messageOf(thrown),
    "check that the path is right and that the folder can be written",
  ];
  const detail = code === "" || problem === messageOf(thrown) ? "" : ` (${code}: ${messageOf(thrown)})`;
  return new UmaError("store", `memory store ${path}: ${problem}${detail}`, { fix, cause: thrown });
}
