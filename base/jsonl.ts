/**
 * Append-only JSON lines that survive a crash.
 *
 * Writer: a line is in the file whole or not at all; fsync'd, it outlives a power cut. A write that fails is undone and
 * ends the writer, so that half a line is never followed by another. Reader: a last line without its newline is the torn
 * tail of a killed writer; it is dropped and reported. A broken line anywhere else is an error.
 */
import {
  closeSync,
  existsSync,
  fdatasync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readSync,
  writeSync,
} from "node:fs";
import { messageOf, UmaError } from "./errors.ts";
import { unpack } from "./packed-file.ts";

export interface JsonlWriter {
  append(value: unknown): void;
  /** Brings what was appended to the disk; only a writer without `fsync` needs it. */
  sync(): void;
  /** The same without holding anybody up. A failure is thrown by the next call, here it only ends the writer. */
  syncSoon(): Promise<void>;
  /** Not while a `syncSoon` is under way. */
  close(): void;
}

const NEWLINE = 0x0a;
const PIECE = 1 << 20;

/** Opens for appending; a torn tail left by a killed writer is cut off first. Throws `store` when the disk says no. */
export function openJsonl(path: string, options: { fsync?: boolean } = {}): JsonlWriter {
  const fsync = options.fsync ?? true;
  let fd: number;
  let size: number;
  try {
    fd = openSync(path, "a+");
    size = cutTornTail(fd);
  } catch (cause) {
    throw new UmaError("store", `cannot open ${path} for writing: ${messageOf(cause)}`, {
      fix: "check that the folder exists and is writable",
      cause,
    });
  }
  let broken: UmaError | null = null;
  const cannotWrite = (cause: unknown) =>
    new UmaError("store", `cannot write to ${path}: ${messageOf(cause)}`, {
      fix: "free some space and go on: finished work is kept",
      cause,
    });
  const guarded = (write: () => void) => {
    if (broken) throw broken;
    try {
      write();
    } catch (cause) {
      broken = cannotWrite(cause);
      try {
        ftruncateSync(fd, size);
      } catch {
        // the next writer cuts the torn tail
      }
      throw broken;
    }
  };
  return {
    append: (value) =>
      guarded(() => {
        const line = Buffer.from(`${JSON.stringify(value)}\n`, "utf8");
        let written = 0;
        while (written < line.length) written += writeSync(fd, line, written);
        if (fsync) fsyncSync(fd);
        size += line.length;
      }),
    sync: () => guarded(() => fsyncSync(fd)),
    syncSoon: () =>
      new Promise((resolve) =>
        fdatasync(fd, (cause) => {
          if (cause) broken ??= cannotWrite(cause);
          resolve();
        }),
      ),
    close: () => closeSync(fd),
  };
}

/** All whole lines, parsed. `torn` is true when a partial last line was left out. No file reads as an empty one. */
export function readJsonl<T = unknown>(path: string): { values: T[]; torn: boolean } {
  if (!existsSync(path)) return { values: [], torn: false };
  const values: T[] = [];
  const torn = eachLine(path, (line, number) => {
    if (line === "") return;
    try {
      values.push(JSON.parse(line) as T);
    } catch (cause) {
      throw new UmaError("input", `${path}:${number}: expected one JSON value per line: ${messageOf(cause)}`, {
        cause,
      });
    }
  });
  return { values, torn };
}

/** Reads in pieces: a log may be longer than the longest string. Returns whether bytes follow the last newline. */
function eachLine(path: string, use: (line: string, number: number) => void): boolean {
  const unpacked = unpack(path);
  if (unpacked) return linesOf(piecesOf(unpacked), use);
  const fd = openForReading(path);
  const read = () => {
    const piece = Buffer.allocUnsafe(PIECE);
    return piece.subarray(0, readSync(fd, piece, 0, PIECE, null));
  };
  try {
    return linesOf(read, use);
  } finally {
    closeSync(fd);
  }
}

function piecesOf(whole: Buffer): () => Buffer {
  let at = 0;
  return () => {
    const piece = whole.subarray(at, at + PIECE);
    at += PIECE;
    return piece;
  };
}

/** `next` gives an empty piece at the end. */
function linesOf(next: () => Buffer, use: (line: string, number: number) => void): boolean {
  let rest: Buffer[] = [];
  let number = 0;
  for (;;) {
    const piece = next();
    const { length } = piece;
    if (length === 0) return rest.length > 0;
    let start = 0;
    for (let end = piece.indexOf(NEWLINE); end >= 0 && end < length; end = piece.indexOf(NEWLINE, start)) {
      rest.push(piece.subarray(start, end));
      use(Buffer.concat(rest).toString("utf8"), ++number);
      rest = [];
      start = end + 1;
    }
    if (start < length) rest.push(piece.subarray(start, length));
  }
}

function openForReading(path: string): number {
  try {
    return openSync(path, "r");
  } catch (cause) {
    throw new UmaError("store", `cannot read ${path}: ${messageOf(cause)}`, { cause });
  }
}

/** The length that is left: up to and with the last newline. */
function cutTornTail(fd: number): number {
  const { size } = fstatSync(fd);
  let kept = size;
  for (let end = size; end > 0; end = Math.max(0, end - PIECE)) {
    const from = Math.max(0, end - PIECE);
    const piece = Buffer.alloc(end - from);
    readSync(fd, piece, 0, piece.length, from);
    kept = from + piece.lastIndexOf(NEWLINE) + 1;
    if (kept > from) break;
    kept = 0;
  }
  if (kept < size) ftruncateSync(fd, kept);
  return kept;
}
