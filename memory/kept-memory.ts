/**
 * A memory as an application keeps it between runs: the memory itself, the chunks it was made of (phase II searches them)
 * and what of each document has been read, so that the next run reads only what is new.
 */
import { z } from "zod";
import { messageOf, UmaError } from "../base/errors.ts";
import type { Codec } from "./codec.ts";
import { memoryCodec } from "./codec.ts";
import { emptyMemory, type Memory } from "./memory.ts";

export interface KeptChunk {
  readonly text: string;
  /** The document it was cut from. */
  readonly document: string;
  /** No session has read it yet, or the one that should have has failed; the next reading begins with it. */
  readonly unread?: true | undefined;
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

const Reading = z.object({
  chunks: z.array(z.object({ text: z.string(), document: z.string(), unread: z.literal(true).optional() })),
  documents: z.array(z.object({ name: z.string(), hash: z.string(), messages: z.array(z.string()) })),
});

/**
 * Length of the reading as u32 (little-endian), the reading as JSON, the memory's own bytes. Nothing is compressed: both
 * parts mostly grow at their ends, and a store shares what two versions have in common.
 */
export const keptMemoryCodec: Codec<KeptMemory> = {
  name: "kept-memory",
  version: 1,
  encode({ memory, chunks, documents }) {
    const reading = Buffer.from(JSON.stringify({ chunks, documents }), "utf8");
    const length = Buffer.alloc(4);
    length.writeUInt32LE(reading.length);
    return Buffer.concat([length, reading, memoryCodec.encode(memory)]);
  },
  decode(bytes) {
    try {
      const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      const end = 4 + buffer.readUInt32LE(0);
      const { chunks, documents } = Reading.parse(JSON.parse(buffer.toString("utf8", 4, end)));
      return { memory: memoryCodec.decode(buffer.subarray(end)), chunks, documents };
    } catch (cause) {
      throw new UmaError("input", `these bytes are not a kept memory: ${messageOf(cause)}`, { cause });
    }
  },
};
