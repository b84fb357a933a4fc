/**
 * An HNSW index on disk, for programs that search the same many vectors in more than one process: reading an index takes a
 * moment, building one a minute or more. Nothing in the package saves one by itself.
 *
 * A header names the two files by their hashes, so that a crash while saving leaves the old index and a mixed-up folder is
 * noticed. The header also holds what the library does not write down (`ef`) and the embedder's id, so that vectors of two
 * embedders never meet.
 */
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { messageOf, UmaError } from "../base/errors.ts";
import { createHnsw, type Hnsw, type HnswOptions, type HnswSettings } from "./hnsw.ts";
import { createVectorRows } from "./vector-index.ts";

interface Header {
  readonly format: 1;
  readonly embedder: string;
  readonly size: number;
  readonly dimension: number | null;
  readonly settings: HnswSettings;
  /** File names; null for an index that has no point. */
  readonly vectors: string;
  readonly graph: string | null;
}

const headerName = "header.json";
const owned = /^(?:vectors|graph)-[0-9a-f]{16}\.bin$/;

/** Writes into `folder` (made when missing), then removes files of an earlier save: erased vectors do not stay. */
export async function saveHnsw(index: Hnsw, folder: string, embedder: string): Promise<void> {
  const { rows } = index;
  try {
    mkdirSync(folder, { recursive: true });
    const values = rows.values.subarray(0, rows.size * (rows.dimension ?? 0));
    const vectors = place(folder, "vectors", Buffer.from(values.buffer, values.byteOffset, values.byteLength));
    let graph: string | null = null;
    if (values.some((value) => value !== 0)) {
      const written = join(folder, `graph.${process.pid}.tmp`);
      await index.writeGraph(written);
      graph = nameOf("graph", readFileSync(written));
      renameSync(written, join(folder, graph));
    }
    const { size, dimension } = rows;
    const header: Header = { format: 1, embedder, size, dimension, settings: index.settings, vectors, graph };
    replace(join(folder, headerName), JSON.stringify(header, null, 2));
    for (const name of readdirSync(folder)) {
      if (owned.test(name) && name !== vectors && name !== graph) rmSync(join(folder, name));
    }
  } catch (cause) {
    throw new UmaError("store", `cannot save the vector index in ${folder}: ${messageOf(cause)}`, {
      fix: "check that the folder is writable and has room; an index that was there before is still whole",
      cause,
    });
  }
}

/** Throws `store` when the folder holds no whole index, `config` when another embedder made it. */
export function loadHnsw(folder: string, embedder: string, options: Pick<HnswOptions, "load"> = {}): Hnsw {
  const header = readHeader(folder);
  if (header.embedder !== embedder) {
    throw new UmaError("config", `${folder}: the index was made with ${header.embedder}, not with ${embedder}`, {
      fix: "use the same embedder, or delete the folder and build the index again",
    });
  }
  const read = (name: string) => {
    const bytes = readFile(folder, name);
    if (!name.endsWith(`-${hashOf(bytes)}.bin`)) throw broken(folder, `${name} was changed`);
    return bytes;
  };
  const vectors = read(header.vectors);
  const { size, dimension, settings } = header;
  if (vectors.length !== 4 * size * (dimension ?? 0)) throw broken(folder, `${header.vectors} has the wrong length`);
  if (dimension === null) return createHnsw({ ...settings, ...options });
  const rows = createVectorRows({ dimension, values: new Float32Array(new Uint8Array(vectors).buffer) });
  if (header.graph === null) return createHnsw({ ...settings, ...options }, { rows });
  read(header.graph);
  return createHnsw({ ...settings, ...options }, { rows, graphFile: join(folder, header.graph) });
}

function readHeader(folder: string): Header {
  let header: Header;
  try {
    header = JSON.parse(readFile(folder, headerName).toString("utf8"));
  } catch (cause) {
    if (cause instanceof UmaError) throw cause;
    throw broken(folder, `${headerName} is not JSON`, cause);
  }
  if (header?.format !== 1) throw broken(folder, `${headerName}: expected format 1, got ${header?.format}`);
  return header;
}

function readFile(folder: string, name: string): Buffer {
  try {
    return readFileSync(join(folder, name));
  } catch (cause) {
    throw broken(folder, messageOf(cause), cause);
  }
}

function broken(folder: string, why: string, cause?: unknown): UmaError {
  return new UmaError("store", `${folder} holds no whole vector index: ${why}`, {
    fix: "delete the folder; the index is built again from the texts",
    cause,
  });
}

const hashOf = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex").slice(0, 16);
const nameOf = (kind: string, bytes: Uint8Array) => `${kind}-${hashOf(bytes)}.bin`;

function place(folder: string, kind: string, bytes: Uint8Array): string {
  const name = nameOf(kind, bytes);
  replace(join(folder, name), bytes);
  return name;
}

function replace(path: string, content: Uint8Array | string): void {
  const temporary = `${path}.${process.pid}.tmp`;
  writeFileSync(temporary, content);
  renameSync(temporary, path);
}
