/** How keys and values lie in the cache: in blocks of 16 tokens, which sequences with the same beginning share. */
import { PANEL } from "./kernels/kernels.ts";
import type { ModelConfig } from "./model-config.ts";

/** Tokens in a block: as many as a panel has columns, so that keys are read as a matrix is. */
export const BLOCK = PANEL;

type Shape = Pick<ModelConfig, "layers" | "keyHeads" | "headWidth">;

/** Bytes of the keys, or of the values, of one head in one layer. */
export const partBytes = ({ headWidth }: Shape) => headWidth * BLOCK * 4;

/** Bytes of a block, in all layers. */
export const blockBytes = (shape: Shape) => shape.layers * shape.keyHeads * 2 * partBytes(shape);

/**
 * Where in a block the keys of a head begin, in bytes: [layer][head][keys, then values]. Keys are [headWidth][BLOCK],
 * values panels of [BLOCK][PANEL].
 */
export const keysIn = (shape: Shape, layer: number, keyHead: number) =>
  (layer * shape.keyHeads + keyHead) * 2 * partBytes(shape);
