/**
 * Append-only JSON lines that survive a crash.
 *
 * Writer: one `write` call per line, then fsync, so a line is either whole or the last one. Reader: a last line without
 * its newline is a torn tail of a killed writer; it is dropped and reported. A broken line anywhere else is an error.
 */
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, truncateSync, writeSync } from "node:fs";
import { messageOf, UmaError } from "./errors.ts";

export interface JsonlWriter {
  append(value: unknown): void;
  close(): void;
}

/** Opens for appending; a torn tail left by a killed writer is cut off first. Throws `store` when the disk says no. */
export function openJsonl(path: string, options: { fsync?: boolean } = {}): JsonlWriter {
  const fsync = options.fsync ?? true;
  cutTornTail(path);
  let fd: number;
  try {
    fd = openSync(path, "a");
  } catch (cause) {
    throw new UmaError("store", `cannot open ${path} for writing: ${messageOf(cause)}`, {
      fix: "check that the folder exists and is writable",
      cause,
    });
  }
  return {
    append(value) {
      const line = Buffer.from(`${JSON.stringify(value)}\n`, "utf8");
      try {
        let written = 0;
        while (written < line.length) written += writeSync(fd, line, written);
        if (fsync) fsyncSync(fd);
      } catch (cause) {
        throw new UmaError("store", `cannot write to ${path}: ${messageOf(cause)}`, {
          fix: "free some space or choose another folder, then run the same command again: finished work is kept",
          cause,
        });
      }
    },
    close: () => closeSync(fd),
  };
}

/** All whole lines, parsed. `torn` is true when a partial last line was left out. */
export function readJsonl<T = unknown>(path: string): { values: T[]; torn: boolean } {
  if (!existsSync(path)) return { values: [], torn: false };
  const text = readFileSync(path, "utf8");
  const lines = text.split("\n");
  const tail = lines.pop() ?? "";
  const values = lines.flatMap((line, index) => {
    if (line === "") return [];
    try {
      return [JSON.parse(line) as T];
    } catch (cause) {
      throw new UmaError("input", `${path}:${index + 1}: expected one JSON value per line: ${messageOf(cause)}`, {
        cause,
      });
    }
  });
  return { values, torn: tail !== "" };
}

function cutTornTail(path: string): void {
  if (!existsSync(path)) return;
  const bytes = readFileSync(path);
  if (bytes.length === 0 || bytes[bytes.length - 1] === 0x0a) return;
  truncateSync(path, bytes.lastIndexOf(0x0a) + 1);
}
