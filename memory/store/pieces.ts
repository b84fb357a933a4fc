/**
 * A memory's bytes in pieces, each kept once per memory.
 *
 * The bytes of one version are mostly those of the version before, so a history of n versions costs what is new in each
 * instead of n copies; only a codec that compresses gives that away. Pieces are never shared between memories: deleting a memory
 * deletes all of its own.
 */
import { createHash } from "node:crypto";
import { contentCuts } from "./content-cuts.ts";
import type { Connection } from "./sqlite-file.ts";

export interface Pieces {
  /** Stores what is not there yet; returns the list of the pieces, to be kept with the version. In a transaction. */
  save(memory: number, bytes: Uint8Array): Buffer;
  /** The bytes again; shorter than they were when a piece is missing. */
  load(memory: number, list: Buffer): Uint8Array;
  /** The same for every version of a memory as it is now, whatever becomes of it later: each piece is held once. */
  loadAll(memory: number): (list: Buffer) => Uint8Array;
}

/** A list is row keys of this many bytes each. */
const KEY_BYTES = 6;

export function openPieces(db: Connection): Pieces {
  const find = db.prepare("SELECT key FROM piece WHERE memory = ? AND sha256 = ?").pluck();
  const insert = db.prepare("INSERT INTO piece (memory, sha256, bytes) VALUES (?, ?, ?)");
  const get = db.prepare("SELECT bytes FROM piece WHERE memory = ? AND key = ?").pluck();
  const getAll = db.prepare("SELECT key, bytes FROM piece WHERE memory = ?").raw();
  return {
    save(memory, bytes) {
      const keys = Array.from(contentCuts(bytes), (piece) => {
        const digest = sha256(piece);
        const known = find.get(memory, digest) as number | undefined;
        return known ?? Number(insert.run(memory, digest, piece).lastInsertRowid);
      });
      const list = Buffer.alloc(keys.length * KEY_BYTES);
      for (const [index, key] of keys.entries()) list.writeUIntLE(key, index * KEY_BYTES, KEY_BYTES);
      return list;
    },
    load: (memory, list) => joined(list, (key) => get.get(memory, key) as Buffer | undefined),
    loadAll(memory) {
      const held = new Map(getAll.all(memory) as [number, Buffer][]);
      return (list) => joined(list, (key) => held.get(key));
    },
  };
}

function joined(list: Buffer, pieceOf: (key: number) => Buffer | undefined): Uint8Array {
  const pieces: Buffer[] = [];
  for (let at = 0; at + KEY_BYTES <= list.length; at += KEY_BYTES) {
    const piece = pieceOf(list.readUIntLE(at, KEY_BYTES));
    if (piece !== undefined) pieces.push(piece);
  }
  return new Uint8Array(Buffer.concat(pieces));
}

export const sha256 = (bytes: Uint8Array): Buffer => createHash("sha256").update(bytes).digest();
