/** The bytes of a file or a stream, up to a limit. */
import { createReadStream, promises as fs, type Stats } from "node:fs";
import type { Readable } from "node:stream";
import { UmaError } from "../../base/errors.ts";
import { errorName } from "./list-files.ts";

/** Throws `input` when the path does not exist. */
export async function statOf(path: string): Promise<Stats> {
  try {
    return await fs.stat(path);
  } catch (error) {
    const why = errorName(error) === "ENOENT" ? "does not exist" : `cannot be read (${errorName(error)})`;
    throw new UmaError("input", `${path} ${why}`, { fix: "check the path", cause: error });
  }
}

/** Throws `input` when the file cannot be read or is larger than the limit. */
export async function readFile(path: string, maxBytes: number): Promise<Uint8Array> {
  try {
    const stats = await fs.stat(path);
    if (stats.isFile()) {
      withinLimit(null, stats.size, maxBytes);
      return await fs.readFile(path);
    }
    // a pipe or a device has no size beforehand
    return await readStream(createReadStream(path), maxBytes);
  } catch (error) {
    if (error instanceof UmaError) throw error;
    throw new UmaError("input", `the file cannot be read (${errorName(error)})`, {
      fix: "check that it exists and that you may read it",
      cause: error,
    });
  }
}

export async function readStream(stream: Readable, maxBytes: number): Promise<Uint8Array> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of stream) {
    const bytes = Buffer.from(piece as Uint8Array);
    size += bytes.length;
    withinLimit(null, size, maxBytes);
    pieces.push(bytes);
  }
  return Buffer.concat(pieces);
}

export function withinLimit<T>(value: T, size: number, maxBytes: number): T {
  if (size <= maxBytes) return value;
  const megabytes = (bytes: number) => `${(bytes / 1_048_576).toFixed(1)} MB`;
  throw new UmaError("input", `larger than the limit of ${megabytes(maxBytes)} for one file (${megabytes(size)})`, {
    fix: "split the file, or raise the limit",
  });
}
