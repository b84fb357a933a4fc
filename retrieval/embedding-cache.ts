/**
 * Embeddings are paid for once: a cache keyed by (embedder id, document or query, text).
 *
 * In memory (bounded, the longest unused leaves first) and, with a file, in SQLite for the next process. Callers that
 * ask for the same text at the same time share one request; a failed request is not remembered.
 */
import { createHash } from "node:crypto";
import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import type { EmbeddingsInterface } from "@langchain/core/embeddings";
import Database from "better-sqlite3";
import { messageOf, UmaError } from "../base/errors.ts";

/** Many embedders prefix queries and documents differently, so the two never share a vector. */
export type EmbeddingKind = "document" | "query";

export interface EmbeddingCache {
  /** Vectors in the order of the texts. Throws `provider` when the embedder answers with something else. */
  embed(embedder: NamedEmbedder, kind: EmbeddingKind, texts: readonly string[]): Promise<Float32Array[]>;
  /** Forgets texts under every embedder, in memory and in the file. */
  forget(texts: readonly string[]): void;
  close(): void;
}

export interface NamedEmbedder {
  /** Model, width and whatever else changes its vectors. */
  readonly id: string;
  readonly embeddings: EmbeddingsInterface;
}

export interface EmbeddingCacheOptions {
  /** Vectors kept in memory. */
  readonly maxVectors?: number;
  /** SQLite file, made when missing; without it nothing outlives the process. */
  readonly file?: string;
}

export function createEmbeddingCache(options: EmbeddingCacheOptions = {}): EmbeddingCache {
  const { maxVectors = 50_000, file } = options;
  const disk = file === undefined ? null : openVectorFile(file);
  const memory = new Map<string, Float32Array>();
  const asked = new Map<string, Promise<Float32Array>>();

  const remember = (key: string, vector: Float32Array) => {
    memory.delete(key);
    memory.set(key, vector);
    if (memory.size > maxVectors) memory.delete(memory.keys().next().value!);
  };
  const known = (key: string): Float32Array | undefined => {
    const vector = memory.get(key) ?? disk?.get(key);
    if (vector !== undefined) remember(key, vector);
    return vector;
  };

  return {
    async embed(embedder, kind, texts) {
      const keys = texts.map((text) => keyOf(embedder.id, kind, text));
      const found = new Map<string, Float32Array | Promise<Float32Array>>();
      const missing = new Map<string, string>();
      keys.forEach((key, i) => {
        if (found.has(key) || missing.has(key)) return;
        const vector = asked.get(key) ?? known(key);
        if (vector === undefined) missing.set(key, texts[i]!);
        else found.set(key, vector);
      });
      if (missing.size > 0) {
        const request = ask(embedder, kind, [...missing.values()]);
        [...missing.keys()].forEach((key, i) => {
          const vector = request.then((vectors) => vectors[i]!);
          vector.catch(() => {}); // reported to whoever waits for it below
          asked.set(key, vector);
          found.set(key, vector);
        });
        try {
          const vectors = await request;
          const fresh = [...missing.keys()].map((key, i) => [key, vectors[i]!] as const);
          for (const [key, vector] of fresh) remember(key, vector);
          disk?.put(fresh);
        } finally {
          for (const key of missing.keys()) asked.delete(key);
        }
      }
      return Promise.all(keys.map((key) => found.get(key)!));
    },
    forget(texts) {
      const gone = new Set(texts.map(textHash));
      for (const key of memory.keys()) if (gone.has(key.slice(key.lastIndexOf(" ") + 1))) memory.delete(key);
      disk?.forget([...gone]);
    },
    close: () => disk?.close(),
  };
}

/** One checked request: as many vectors as texts, all finite, all of one width. */
export async function ask(
  embedder: NamedEmbedder,
  kind: EmbeddingKind,
  texts: readonly string[],
): Promise<Float32Array[]> {
  const { embeddings, id } = embedder;
  const vectors =
    kind === "document"
      ? await embeddings.embedDocuments([...texts])
      : await Promise.all(texts.map((text) => embeddings.embedQuery(text)));
  const wrong = (what: string) =>
    new UmaError("provider", `embedder ${id}: ${what}`, { fix: "check the embedding model and its server" });
  if (!Array.isArray(vectors) || vectors.length !== texts.length) {
    throw wrong(`expected ${texts.length} vectors, got ${Array.isArray(vectors) ? vectors.length : typeof vectors}`);
  }
  return vectors.map((vector) => {
    if (!Array.isArray(vector) && !ArrayBuffer.isView(vector)) throw wrong(`expected a list of numbers`);
    if (vector.length === 0 || vector.length !== vectors[0]!.length) {
      throw wrong(`expected vectors of one width, got ${vectors[0]!.length} and ${vector.length} numbers`);
    }
    const numbers = Float32Array.from(vector);
    if (!numbers.every(Number.isFinite)) throw wrong("a vector holds NaN or infinity");
    return numbers;
  });
}

// UTF-16, because UTF-8 would give all lone surrogates one hash
const textHash = (text: string) => createHash("sha256").update(text, "utf16le").digest("hex");
const keyOf = (id: string, kind: EmbeddingKind, text: string) => `${id} ${kind} ${textHash(text)}`;

function openVectorFile(path: string) {
  let database: Database.Database;
  try {
    mkdirSync(dirname(path), { recursive: true });
    database = new Database(path, { timeout: 10_000 });
    database.pragma("journal_mode = WAL");
    database.pragma("synchronous = NORMAL"); // a lost row is embedded again
    database.pragma("secure_delete = ON");
    database.exec(
      "CREATE TABLE IF NOT EXISTS vectors (text TEXT NOT NULL, owner TEXT NOT NULL, vector BLOB NOT NULL, PRIMARY KEY (text, owner)) WITHOUT ROWID",
    );
  } catch (cause) {
    throw new UmaError("store", `cannot open the embedding cache ${path}: ${messageOf(cause)}`, {
      fix: "check that the folder is writable, or delete the file: it only saves time",
      cause,
    });
  }
  const select = database.prepare<[string, string], { vector: Buffer }>(
    "SELECT vector FROM vectors WHERE text = ? AND owner = ?",
  );
  const insert = database.prepare("INSERT OR REPLACE INTO vectors (text, owner, vector) VALUES (?, ?, ?)");
  const remove = database.prepare("DELETE FROM vectors WHERE text = ?");
  const split = (key: string) => {
    const at = key.lastIndexOf(" ");
    return [key.slice(at + 1), key.slice(0, at)] as const;
  };
  return {
    get(key: string): Float32Array | undefined {
      const row = select.get(...split(key));
      return row === undefined ? undefined : new Float32Array(new Uint8Array(row.vector).buffer);
    },
    put(entries: readonly (readonly [string, Float32Array])[]) {
      try {
        database.transaction(() => {
          for (const [key, vector] of entries) {
            insert.run(...split(key), Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength));
          }
        })();
      } catch (cause) {
        throw new UmaError("store", `cannot write to the embedding cache ${path}: ${messageOf(cause)}`, {
          fix: "free some space, or go on without a cache file",
          cause,
        });
      }
    },
    forget(hashes: readonly string[]) {
      database.transaction(() => {
        for (const hash of hashes) remove.run(hash);
      })();
      database.pragma("wal_checkpoint(TRUNCATE)");
    },
    close: () => database.close(),
  };
}
