/**
 * The forward pass of a Qwen3 model: RMSNorm, attention with normed and rotated heads, SwiGLU; float32 as in PyTorch.
 *
 * One call computes the next tokens of many sequences, some with one token and some with a piece of their prompt, so that
 * the weights are read once for all of them. Keys and values lie in blocks of 16 tokens that sequences may share. What is
 * computed for a token depends, bit for bit, only on the tokens before it: not on how many came in one call, nor on what
 * else did, nor on who computed the blocks.
 */
import type { Kernels } from "./kernels/kernels.ts";
import { PANEL, PANEL_ROW_BYTES } from "./kernels/kernels.ts";
import { plainKernels } from "./kernels/plain-kernels.ts";
import { simdKernels } from "./kernels/simd-kernels.ts";
import { memoryPlan } from "./memory-plan.ts";
import type { ModelConfig } from "./model-config.ts";
import type { ModelWeights, Panels } from "./model-weights.ts";
import { rotaryTable } from "./rotary-table.ts";

/** Tokens in a block of the cache: as many as a panel has columns, so that keys are read as a matrix is. */
export const BLOCK = PANEL;

/** The next tokens of one sequence. */
export interface Span {
  readonly tokens: ArrayLike<number>;
  /** Where they begin: tokens[start .. start + count). */
  readonly start: number;
  readonly count: number;
  /** Blocks of the cache for all tokens up to the end of the span. */
  readonly blocks: readonly number[];
}

export interface NetworkSize {
  /** Spans in a call. */
  readonly spans: number;
  /** Tokens in a call, and in one span. */
  readonly rows: number;
  readonly spanRows: number;
  readonly blocks: number;
  readonly maxContext: number;
}

export interface Network {
  readonly config: ModelConfig;
  /** Whether the fast kernels run. */
  readonly fast: boolean;
  forward(spans: readonly Span[]): void;
  /** Of the last token of each of the spans given, after `forward`: a view that the next call overwrites. */
  logits(spans: readonly number[]): readonly Float32Array[];
  /** A block begins as zeros: what is masked is still multiplied, by 0, and must be a number. */
  clearBlock(block: number): void;
}

/** Bytes of keys and values that a block takes in all layers. */
export const blockBytes = ({ layers, keyHeads, headWidth }: ModelConfig) =>
  layers * keyHeads * 2 * headWidth * BLOCK * 4;

export interface NetworkOptions {
  /** Without the fast kernels. */
  readonly plain?: boolean | undefined;
}

export function qwen3Network(
  config: ModelConfig,
  weights: ModelWeights,
  size: NetworkSize,
  { plain = false }: NetworkOptions = {},
): Network {
  const { width, headWidth, feedForward, queryHeads, keyHeads, epsilon } = config;
  const group = queryHeads / keyHeads;
  const queryWidth = queryHeads * headWidth;
  const keyWidth = keyHeads * headWidth;
  const attentionWidth = queryWidth + 2 * keyWidth;
  const blocksOfContext = Math.ceil(size.maxContext / BLOCK);

  const plan = memoryPlan();
  const floats = (count: number) => plan.take(4 * count);
  const place = (panels: Panels) => ({ ...panels, at: floats(panels.values.length) });
  const layers = weights.layers.map((layer) => ({
    ...layer,
    attention: place(layer.attention),
    output: place(layer.output),
    gateUp: place(layer.gateUp),
    down: place(layer.down),
  }));
  const head = place(weights.head);
  const headColumns = Math.ceil(head.out / PANEL) * PANEL;
  const noTable = plan.take(4);
  const states = floats(size.rows * width);
  const normed = floats(size.rows * width);
  const heads = floats(size.rows * attentionWidth);
  const mixed = floats(size.rows * queryWidth);
  const added = floats(size.rows * width);
  const gates = floats(size.rows * 2 * feedForward);
  const logits = floats(size.spans * headColumns);
  const scores = floats(Math.max(queryHeads, size.spanRows) * blocksOfContext * BLOCK);
  const tables = floats(size.spans * blocksOfContext);
  const cache = plan.take(size.blocks * blockBytes(config));

  const fast = plain ? null : simdKernels(plan.bytes);
  const kernels: Kernels = fast ?? plainKernels(plan.bytes);
  const f = new Float32Array(kernels.memory);
  const addresses = new Int32Array(kernels.memory);
  for (const panels of [head, ...layers.flatMap((layer) => [layer.attention, layer.output, layer.gateUp, layer.down])])
    f.set(panels.values, panels.at >> 2);
  const { cos, sin } = rotaryTable(size.maxContext, headWidth, config.ropeBase);
  const scale = 1 / Math.sqrt(headWidth);

  const multiply = (
    x: number,
    w: Panels & { readonly at: number },
    y: number,
    rows: number,
    xStride: number = 4 * w.depth,
  ) =>
    kernels.product({
      x,
      xStride,
      y,
      yStride: 4 * Math.ceil(w.out / PANEL) * PANEL,
      rows,
      table: noTable,
      tableStep: 0,
      offset: w.at,
      panelStep: w.depth * PANEL_ROW_BYTES,
      panels: Math.ceil(w.out / PANEL),
      segments: 1,
      depth: w.depth,
    });

  /** RMSNorm of one row; addresses in floats. */
  const norm = (from: number, to: number, weight: Float32Array, count: number, factor = 1) => {
    let squares = 0;
    for (let i = 0; i < count; i++) squares += f[from + i]! * f[from + i]!;
    const inverse = factor / Math.sqrt(squares / count + epsilon);
    for (let i = 0; i < count; i++) f[to + i] = f[from + i]! * inverse * weight[i]!;
  };
  const normRows = (weight: Float32Array, rows: number) => {
    for (let row = 0; row < rows; row++) norm((states >> 2) + row * width, (normed >> 2) + row * width, weight, width);
  };
  const addRows = (rows: number) => {
    const from = added >> 2;
    const to = states >> 2;
    for (let i = 0; i < rows * width; i++) f[to + i]! += f[from + i]!;
  };
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

  /** In a block: [layer][head][keys, then values]; keys are [headWidth][BLOCK], values panels [BLOCK][PANEL]. */
  const partBytes = headWidth * BLOCK * 4;
  const keyOffset = (layer: number, keyHead: number) => (layer * keyHeads + keyHead) * 2 * partBytes;

  /** Norms and rotates one token's heads, and puts its keys and values into the cache. */
  const turnHeads = (row: number, position: number, block: number, layer: number) => {
    const { queryNorm, keyNorm } = layers[layer]!;
    const queries = (heads >> 2) + row * attentionWidth;
    // the attention's scale goes with the queries
    for (let at = queries; at < queries + queryWidth; at += headWidth) {
      norm(at, at, queryNorm, headWidth, scale);
      rotate(at, position);
    }
    const slot = position % BLOCK;
    for (let keyHead = 0; keyHead < keyHeads; keyHead++) {
      const key = queries + queryWidth + keyHead * headWidth;
      norm(key, key, keyNorm, headWidth);
      rotate(key, position);
      const keysAt = (cache + block * blockBytes(config) + keyOffset(layer, keyHead)) >> 2;
      for (let i = 0; i < headWidth; i++) f[keysAt + i * BLOCK + slot] = f[key + i]!;
      const value = key + keyWidth;
      const valuesAt = keysAt + (partBytes >> 2) + slot * PANEL;
      for (let i = 0; i < headWidth; i++) f[valuesAt + (i & ~15) * BLOCK + (i & 15)] = f[value + i]!;
    }
  };

  /** `rows` rows of queries that look through the cache by the table of addresses of their blocks. */
  const attend = (
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
      offset: keys + partBytes,
      panelStep: BLOCK * PANEL_ROW_BYTES,
      panels: headWidth / PANEL,
      segments: sight.blocks,
      depth: BLOCK,
    });
  };

  const attendSpan = (span: Span, firstRow: number, table: number, layer: number) => {
    const { start, count } = span;
    const sight = { table, blocks: Math.ceil((start + count) / BLOCK), length: start + 1, step: 1 };
    const headBytes = 4 * headWidth;
    const from = heads + 4 * firstRow * attentionWidth;
    const to = mixed + 4 * firstRow * queryWidth;
    for (let keyHead = 0; keyHead < keyHeads; keyHead++) {
      const keys = keyOffset(layer, keyHead);
      const first = keyHead * group * headBytes;
      if (count === 1) {
        // the heads that share their keys are the rows
        const query = { from: from + first, to: to + first, fromStride: headBytes, toStride: headBytes };
        attend(group, query, { ...sight, step: 0 }, keys);
        continue;
      }
      for (let member = 0; member < group; member++) {
        const at = first + member * headBytes;
        const query = { from: from + at, to: to + at, fromStride: 4 * attentionWidth, toStride: 4 * queryWidth };
        attend(count, query, sight, keys);
      }
    }
  };

  let lastRows: number[] = [];
  return {
    config,
    fast: fast !== null,
    forward(spans) {
      let rows = 0;
      lastRows = spans.map(({ count }) => {
        rows += count;
        return rows - 1;
      });
      const firstRow = (index: number) => lastRows[index]! - spans[index]!.count + 1;
      const tableOf = (index: number) => tables + 4 * index * blocksOfContext;
      spans.forEach(({ tokens, start, count, blocks }, index) => {
        for (let i = 0; i < count; i++) {
          const from = tokens[start + i]! * width;
          f.set(weights.embedding.subarray(from, from + width), (states >> 2) + (firstRow(index) + i) * width);
        }
        const table = tableOf(index) >> 2;
        for (let i = 0; i * BLOCK < start + count; i++) addresses[table + i] = cache + blocks[i]! * blockBytes(config);
      });
      layers.forEach((layer, depth) => {
        normRows(layer.inputNorm, rows);
        multiply(normed, layer.attention, heads, rows);
        spans.forEach((span, index) => {
          const { start, count, blocks } = span;
          for (let position = start; position < start + count; position++)
            turnHeads(firstRow(index) + position - start, position, blocks[Math.floor(position / BLOCK)]!, depth);
          attendSpan(span, firstRow(index), tableOf(index), depth);
        });
        multiply(mixed, layer.output, added, rows);
        addRows(rows);
        normRows(layer.afterNorm, rows);
        multiply(normed, layer.gateUp, gates, rows);
        kernels.gate(gates, 8 * feedForward, feedForward, rows);
        multiply(gates, layer.down, added, rows, 8 * feedForward);
        addRows(rows);
      });
    },
    logits(spans) {
      spans.forEach((span, to) => {
        norm((states >> 2) + lastRows[span]! * width, (normed >> 2) + to * width, weights.norm, width);
      });
      multiply(normed, head, logits, spans.length);
      return spans.map((_, row) => {
        const from = (logits >> 2) + row * headColumns;
        return f.subarray(from, from + head.out);
      });
    },
    clearBlock(block) {
      const from = (cache + block * blockBytes(config)) >> 2;
      f.fill(0, from, from + (blockBytes(config) >> 2));
    },
  };
}
