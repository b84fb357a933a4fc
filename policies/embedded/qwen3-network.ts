/**
 * The forward pass of a Qwen3 model: RMSNorm, attention with normed and rotated heads, SwiGLU; float32 as in PyTorch.
 *
 * One call computes the next tokens of many sequences, some with one token and some with a piece of their prompt, so that
 * the weights are read once for all of them. Keys and values lie in blocks of 16 tokens that sequences may share. What is
 * computed for a token depends, bit for bit, only on the tokens before it: not on how many came in one call, nor on what
 * else did, nor on who computed the blocks.
 */
import { createAttention, type Span } from "./attention.ts";
import { type Kernels, PANEL, PANEL_ROW_BYTES } from "./kernels/kernels.ts";
import { plainKernels } from "./kernels/plain-kernels.ts";
import { simdKernels } from "./kernels/simd-kernels.ts";
import { BLOCK, blockBytes } from "./kv-blocks.ts";
import { memoryPlan } from "./memory-plan.ts";
import type { ModelConfig } from "./model-config.ts";
import type { ModelWeights, Panels } from "./model-weights.ts";
import { rmsNorm } from "./rms-norm.ts";

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
  const queryWidth = queryHeads * headWidth;
  const attentionWidth = queryWidth + 2 * keyHeads * headWidth;
  const bytesOfBlock = blockBytes(config);
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
  const cache = plan.take(size.blocks * bytesOfBlock);

  const fast = plain ? null : simdKernels(plan.bytes);
  const kernels: Kernels = fast ?? plainKernels(plan.bytes);
  const f = new Float32Array(kernels.memory);
  const addresses = new Int32Array(kernels.memory);
  for (const panels of [head, ...layers.flatMap((layer) => [layer.attention, layer.output, layer.gateUp, layer.down])])
    f.set(panels.values, panels.at >> 2);
  const attention = createAttention(config, layers, kernels, { heads, mixed, scores, cache }, size.maxContext);

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

  const normRows = (weight: Float32Array, rows: number) => {
    for (let row = 0; row < rows; row++)
      rmsNorm(f, (states >> 2) + row * width, (normed >> 2) + row * width, width, { weight, epsilon });
  };
  const addRows = (rows: number) => {
    const from = added >> 2;
    const to = states >> 2;
    for (let i = 0; i < rows * width; i++) f[to + i]! += f[from + i]!;
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
        for (let i = 0; i * BLOCK < start + count; i++) addresses[table + i] = cache + blocks[i]! * bytesOfBlock;
      });
      layers.forEach((layer, depth) => {
        normRows(layer.inputNorm, rows);
        multiply(normed, layer.attention, heads, rows);
        spans.forEach((span, index) => {
          attention.attend(span, firstRow(index), tableOf(index), depth);
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
        const from = (states >> 2) + lastRows[span]! * width;
        rmsNorm(f, from, (normed >> 2) + to * width, width, { weight: weights.norm, epsilon });
      });
      multiply(normed, head, logits, spans.length);
      return spans.map((_, row) => {
        const from = (logits >> 2) + row * headColumns;
        return f.subarray(from, from + head.out);
      });
    },
    clearBlock(block) {
      const from = (cache + block * bytesOfBlock) >> 2;
      f.fill(0, from, from + (bytesOfBlock >> 2));
    },
  };
}
