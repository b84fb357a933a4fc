/**
 * A memory as an application keeps it between runs: the memory itself, the chunks it was made of (phase II searches them)
 * and what of each document has been read, so that the next run reads only what is new.
 */
import { gunzipSync, gzipSync } from "node:zlib";
import { z } from "zod";
import { messageOf, UmaError } from "../base/errors.ts";
import type { Codec } from "./codec.ts";
import { memoryCodec } from "./codec.ts";
import { emptyMemory, type Memory } from "./memory.ts";

export interface KeptChunk {
  readonly text: string;
  /** The document it was cut from. */
  readonly document: string;
}

export interface KeptDocument {
  readonly name: string;
  /** Of the document's bytes when it was last read. */
  readonly hash: string;
  /** Content hash of every message that was read, in order. */
  readonly messages: readonly string[];
}

export interface KeptMemory {
  readonly memory: Memory;
  readonly chunks: readonly KeptChunk[];
  readonly documents: readonly KeptDocument[];
}

export const emptyKeptMemory: KeptMemory = { memory: emptyMemory, chunks: [], documents: [] };

const Stored = z.object({
  memory: z.base64(),
  chunks: z.array(z.object({ text: z.string(), document: z.string() })),
  documents: z.array(z.object({ name: z.string(), hash: z.string(), messages: z.array(z.string()) })),
});

export const keptMemoryCodec: Codec<KeptMemory> = {
  name: "kept-memory",
  version: 1,
  encode({ memory, chunks, documents }) {
    const stored = { memory: Buffer.from(memoryCodec.encode(memory)).toString("base64"), chunks, documents };
    return gzipSync(JSON.stringify(stored));
  },
  decode(bytes) {
    try {
      const { memory, chunks, documents } = Stored.parse(JSON.parse(gunzipSync(bytes).toString("utf8")));
      return { memory: memoryCodec.decode(Buffer.from(memory, "base64")), chunks, documents };
    } catch (cause) {
      throw new UmaError("input", `these bytes are not a kept memory: ${messageOf(cause)}`, { cause });
    }
  },
};
