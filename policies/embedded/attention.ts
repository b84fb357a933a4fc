/**
 * Attention of grouped heads, each normed and rotated, over keys and values in blocks: scores and mixtures are products
 * with what lies in the cache, as with weights.
 */
import { type Kernels, PANEL, PANEL_ROW_BYTES } from "./kernels/kernels.ts";
import { BLOCK, blockBytes, keysIn, partBytes } from "./kv-blocks.ts";
import type { ModelConfig } from "./model-config.ts";
import type { LayerWeights } from "./model-weights.ts";
import { rmsNorm } from "./rms-norm.ts";
import { rotaryTable } from "./rotary-table.ts";

/** The next tokens of one sequence. */
export interface Span {
  readonly tokens: ArrayLike<number>;
  /** Where they begin: tokens[start .. start + count). */
  readonly start: number;
  readonly count: number;
  /** Blocks of the cache for all tokens up to the end of the span. */
  readonly blocks: readonly number[];
}

/** Addresses in the kernels' memory. */
export interface AttentionPlaces {
  /** Rows of [queries | keys | values]. */
  readonly heads: number;
  /** Rows of what each query head makes of the values. */
  readonly mixed: number;
  readonly scores: number;
  readonly cache: number;
}

export interface Attention {
  /** The span's rows begin at `firstRow`; `table` holds the addresses of its blocks. */
  attend(span: Span, firstRow: number, table: number, layer: number): void;
}

export function createAttention(
  config: ModelConfig,
  norms: readonly Pick<LayerWeights, "queryNorm" | "keyNorm">[],
  kernels: Kernels,
  { heads, mixed, scores, cache }: AttentionPlaces,
  maxContext: number,
): Attention {
  const { headWidth, queryHeads, keyHeads, epsilon, ropeBase } = config;
  const group = queryHeads / keyHeads;
  const queryWidth = queryHeads * headWidth;
  const keyWidth = keyHeads * headWidth;
  const attentionWidth = queryWidth + 2 * keyWidth;
  const bytes = blockBytes(config);
  const part = partBytes(config);
  const scale = 1 / Math.sqrt(headWidth);
  const f = new Float32Array(kernels.memory);
  const { cos, sin } = rotaryTable(maxContext, headWidth, ropeBase);

  const half = headWidth / 2;
  const rotate = (at: number, position: number) => {
    const turn = position * half;
    for (let i = 0; i < half; i++) {
      const a = f[at + i]!;
      const b = f[at + half + i]!;
      const c = cos[turn + i]!;
      const s = sin[turn + i]!;
      f[at + i] = a * c - b * s;
      f[at + half + i] = b * c + a * s;
    }
  };

  /** Norms and rotates one token's heads, and puts its keys and values into the cache. */
  const turnHeads = (row: number, position: number, block: number, layer: number) => {
    const { queryNorm, keyNorm } = norms[layer]!;
    const queries = (heads >> 2) + row * attentionWidth;
    // the attention's scale goes with the queries
    for (let at = queries; at < queries + queryWidth; at += headWidth) {
      rmsNorm(f, at, at, headWidth, { weight: queryNorm, epsilon, factor: scale });
      rotate(at, position);
    }
    const slot = position % BLOCK;
    for (let keyHead = 0; keyHead < keyHeads; keyHead++) {
      const key = queries + queryWidth + keyHead * headWidth;
      rmsNorm(f, key, key, headWidth, { weight: keyNorm, epsilon });
      rotate(key, position);
      const keysAt = (cache + block * bytes + keysIn(config, layer, keyHead)) >> 2;
      for (let i = 0; i < headWidth; i++) f[keysAt + i * BLOCK + slot] = f[key + i]!;
      const value = key + keyWidth;
      const valuesAt = keysAt + (part >> 2) + slot * PANEL;
      for (let i = 0; i < headWidth; i++) f[valuesAt + (i & ~15) * BLOCK + (i & 15)] = f[value + i]!;
    }
  };

  /** `rows` rows of queries that look through the cache by the table of addresses of their blocks. */
  const look = (
    rows: number,
    query: { readonly from: number; readonly to: number; readonly fromStride: number; readonly toStride: number },
    sight: { readonly table: number; readonly blocks: number; readonly length: number; readonly step: number },
    keys: number,
  ) => {
    const scoreStride = sight.blocks * BLOCK * 4;
    kernels.product({
      x: query.from,
      xStride: query.fromStride,
      y: scores,
      yStride: scoreStride,
      rows,
      table: sight.table,
      tableStep: 1,
      offset: keys,
      panelStep: 0,
      panels: sight.blocks,
      segments: 1,
      depth: headWidth,
    });
    kernels.softmax({
      address: scores,
      stride: scoreStride,
      rows,
      length: sight.length,
      lengthStep: sight.step,
      width: sight.blocks * BLOCK,
    });
    kernels.product({
      x: scores,
      xStride: scoreStride,
      y: query.to,
      yStride: query.toStride,
      rows,
      table: sight.table,
      tableStep: 0,
      offset: keys + part,
      panelStep: BLOCK * PANEL_ROW_BYTES,
      panels: headWidth / PANEL,
      segments: sight.blocks,
      depth: BLOCK,
    });
  };

  return {
    attend(span, firstRow, table, layer) {
      const { start, count, blocks } = span;
      for (let i = 0; i < count; i++)
        turnHeads(firstRow + i, start + i, blocks[Math.floor((start + i) / BLOCK)]!, layer);
      const sight = { table, blocks: Math.ceil((start + count) / BLOCK), length: start + 1, step: 1 };
      const headBytes = 4 * headWidth;
      const from = heads + 4 * firstRow * attentionWidth;
      const to = mixed + 4 * firstRow * queryWidth;
      for (let keyHead = 0; keyHead < keyHeads; keyHead++) {
        const keys = keysIn(config, layer, keyHead);
        const first = keyHead * group * headBytes;
        if (count === 1) {
          // the heads that share their keys are the rows
          const query = { from: from + first, to: to + first, fromStride: headBytes, toStride: headBytes };
          look(group, query, { ...sight, step: 0 }, keys);
          continue;
        }
        for (let member = 0; member < group; member++) {
          const at = first + member * headBytes;
          const query = { from: from + at, to: to + at, fromStride: 4 * attentionWidth, toStride: 4 * queryWidth };
          look(count, query, sight, keys);
        }
      }
    },
  };
}
