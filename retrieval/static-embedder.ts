/**
 * The default embedder: a table of one vector per word piece, summed and brought to length 1. Plain TypeScript, no
 * network, thousands of chunks a second; English only and weaker than BM25 alone, so it is meant for fusion.
 *
 * The table (`assets/static-minilm`) is int8 with a scale per row; its columns are ordered by variance, so 128 or 64 of
 * the 256 are the smaller models. Vectors of different widths must never meet: the id names the width and the bytes.
 */
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Embeddings } from "@langchain/core/embeddings";
import { messageOf, UmaError } from "../base/errors.ts";
import { createWordPieces, type WordPieces } from "./word-pieces.ts";

export type Columns = 256 | 128 | 64;

export interface StaticTable {
  /** Name, columns and the hash of the table's and the vocabulary's bytes. */
  readonly id: string;
  readonly columns: Columns;
  /** A vector of length 1, or all zeros when the text has no known piece. */
  embed(text: string): Float32Array;
  /** The known word pieces of a text. */
  ids(text: string): number[];
}

/** The embedder as LangChain sees it. Loading (once per width and process) takes about 30 ms. */
export class StaticEmbeddings extends Embeddings {
  readonly #table: StaticTable;
  readonly id: string;

  constructor(options: { readonly columns?: Columns; readonly folder?: string } = {}) {
    super({});
    this.#table = staticTable(options);
    this.id = this.#table.id;
  }

  override async embedDocuments(documents: readonly string[]): Promise<number[][]> {
    return documents.map((text) => Array.from(this.#table.embed(text)));
  }

  override async embedQuery(query: string): Promise<number[]> {
    return Array.from(this.#table.embed(query));
  }
}

const loaded = new Map<string, StaticTable>();

/** Throws `config` when the folder has no readable table. */
export function staticTable(options: { readonly columns?: Columns; readonly folder?: string } = {}): StaticTable {
  const { columns = 256, folder = bundledTable() } = options;
  if (![256, 128, 64].includes(columns)) {
    throw new UmaError("config", `columns: expected 256, 128 or 64, got ${columns}`);
  }
  const key = JSON.stringify([folder, columns]);
  const known = loaded.get(key);
  if (known !== undefined) return known;
  const table = loadTable(folder, columns);
  loaded.set(key, table);
  return table;
}

/** Looked for upward from this file, so that it is found from the sources and from dist/. */
function bundledTable(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  for (;;) {
    const candidate = join(folder, "assets", "static-minilm");
    if (existsSync(join(candidate, "model.safetensors"))) return candidate;
    const parent = dirname(folder);
    if (parent === folder) {
      throw new UmaError("config", "the bundled embedding table (assets/static-minilm) was not found", {
        fix: "reinstall umagraph, or pass an embedder of your own",
      });
    }
    folder = parent;
  }
}

function loadTable(folder: string, columns: Columns): StaticTable {
  let bytes: Buffer;
  let vocabulary: Buffer;
  try {
    bytes = readFileSync(join(folder, "model.safetensors"));
    vocabulary = readFileSync(join(folder, "vocab.txt"));
  } catch (cause) {
    throw new UmaError("config", `cannot read the embedding table in ${folder}: ${messageOf(cause)}`, {
      fix: "the folder must hold model.safetensors and vocab.txt",
      cause,
    });
  }
  const { rows, width, values, scales } = parseTable(bytes, folder);
  const pieces: WordPieces = createWordPieces(vocabulary.toString("utf8"));
  const digest = createHash("sha256").update(bytes).update(vocabulary).digest("hex").slice(0, 16);
  const sum = new Float64Array(columns);

  return {
    id: `static-minilm-${columns}-${digest}`,
    columns,
    ids: pieces.ids,
    embed(text) {
      sum.fill(0);
      for (const id of pieces.ids(text)) {
        if (id >= rows) continue;
        const scale = scales[id]!;
        const row = id * width;
        for (let column = 0; column < columns; column++) sum[column]! += scale * values[row + column]!;
      }
      let squares = 0;
      for (let column = 0; column < columns; column++) squares += sum[column]! * sum[column]!;
      const vector = new Float32Array(columns);
      if (squares === 0) return vector;
      const inverse = 1 / Math.sqrt(squares);
      for (let column = 0; column < columns; column++) vector[column] = sum[column]! * inverse;
      return vector;
    },
  };
}

interface TensorHeader {
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly data_offsets: readonly [number, number];
}

/** safetensors: the header's length as u64, a JSON header, then the raw little-endian values. */
function parseTable(bytes: Buffer, folder: string) {
  const wrong = (why: string, cause?: unknown) =>
    new UmaError("config", `${join(folder, "model.safetensors")}: ${why}`, {
      fix: "expected the tensors embedding (I8 [rows, 256]) and scale (F32 [rows])",
      cause,
    });
  if (bytes.length < 8) throw wrong("the file is empty or cut off");
  const headerLength = Number(bytes.readBigUInt64LE(0));
  if (8 + headerLength > bytes.length) throw wrong("the file is cut off");
  let header: Record<string, TensorHeader | undefined>;
  try {
    header = JSON.parse(bytes.toString("utf8", 8, 8 + headerLength));
  } catch (cause) {
    throw wrong("the header is not JSON", cause);
  }
  const tensor = (name: string, dtype: string) => {
    const found = header[name];
    if (found?.dtype !== dtype) throw wrong(`no tensor ${name} of type ${dtype}`);
    const [from, to] = found.data_offsets;
    if (8 + headerLength + to > bytes.length) throw wrong(`tensor ${name} is cut off`);
    // copied, because a Buffer's memory need not be aligned to 4 bytes
    return { shape: found.shape, data: new Uint8Array(bytes.subarray(8 + headerLength + from, 8 + headerLength + to)) };
  };
  const embedding = tensor("embedding", "I8");
  const scale = tensor("scale", "F32");
  const [rows, width] = embedding.shape;
  if (rows === undefined || width !== 256 || embedding.data.length !== rows * width || scale.data.length !== 4 * rows) {
    throw wrong(`unexpected shapes [${embedding.shape}] and [${scale.shape}]`);
  }
  return { rows, width, values: new Int8Array(embedding.data.buffer), scales: new Float32Array(scale.data.buffer) };
}
