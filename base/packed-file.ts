/** Finished logs, compressed: gzip everywhere, zstd where this Node has it. A packed file grows by whole members. */
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import * as zlib from "node:zlib";
import { messageOf, UmaError } from "./errors.ts";

export type Packing = "gzip" | "zstd";

export const packedEndings: Readonly<Record<Packing, string>> = { gzip: ".gz", zstd: ".zst" };

/** Node has zstd from 22.15 on; the types of Node 20 do not know it. */
const zstd = zlib as unknown as {
  readonly zstdCompressSync?: (bytes: Uint8Array) => Buffer;
  readonly zstdDecompressSync?: (bytes: Uint8Array) => Buffer;
};

/** Throws `config` when this Node cannot do it. */
export function refuseUnknownPacking(packing: Packing): void {
  if (packing === "zstd" && !zstd.zstdCompressSync)
    throw new UmaError("config", `this Node (${process.version}) has no zstd`, {
      fix: "use gzip, or Node 22.15 or newer",
    });
}

/**
 * Moves what is in `path` to the end of `path.gz` (or `.zst`), and removes it. Killed in between, it leaves lines twice,
 * never lost.
 */
export function packFile(path: string, packing: Packing): void {
  refuseUnknownPacking(packing);
  if (!existsSync(path)) return;
  const packed = `${path}${packedEndings[packing]}`;
  const beside = `${packed}.${process.pid}.tmp`;
  try {
    const bytes = readFileSync(path);
    const before = existsSync(packed) ? readFileSync(packed) : Buffer.alloc(0);
    const member = packing === "gzip" ? zlib.gzipSync(bytes) : zstd.zstdCompressSync!(bytes);
    writeFileSync(beside, Buffer.concat([before, member]), { flush: true });
    renameSync(beside, packed);
    rmSync(path);
  } catch (cause) {
    rmSync(beside, { force: true });
    throw new UmaError("store", `cannot compress ${path}: ${messageOf(cause)}`, {
      fix: "free some space; the log is as it was",
      cause,
    });
  }
}

/** The content of a packed file; null for one that its name does not call packed. */
export function unpack(path: string): Buffer | null {
  const packing = (Object.keys(packedEndings) as Packing[]).find((known) => path.endsWith(packedEndings[known]));
  if (packing === undefined) return null;
  refuseUnknownPacking(packing);
  try {
    const bytes = readFileSync(path);
    return packing === "gzip" ? zlib.gunzipSync(bytes) : zstd.zstdDecompressSync!(bytes);
  } catch (cause) {
    throw new UmaError("input", `${path} is not what ${packing} wrote: ${messageOf(cause)}`, {
      fix: "restore the file, or run again in a new folder",
      cause,
    });
  }
}
