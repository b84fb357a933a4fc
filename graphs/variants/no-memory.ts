/** The memory of methods that keep none: the raw context is all they use. */
import type { Codec } from "../../memory/codec.ts";

export type NoMemory = null;

export const noMemoryCodec: Codec<NoMemory> = {
  name: "none",
  version: 1,
  encode: () => new Uint8Array(),
  decode: () => null,
};
