/** The tensors of a Qwen3 model by what they do, and their matrices in the order in which the kernels read them. */
import { UmaError } from "../../base/errors.ts";
import { PANEL } from "./kernels/kernels.ts";
import type { ModelConfig } from "./model-config.ts";
import type { StoredTensor } from "./safetensors.ts";

/** y = x · W as panels [ceil(out / PANEL)][depth][PANEL]; columns past `out` are 0. */
export interface Panels {
  readonly depth: number;
  readonly out: number;
  readonly values: Float32Array;
}

export interface LayerWeights {
  readonly inputNorm: Float32Array;
  readonly queryNorm: Float32Array;
  readonly keyNorm: Float32Array;
  readonly afterNorm: Float32Array;
  /** Queries, keys and values side by side. */
  readonly attention: Panels;
  readonly output: Panels;
  /** Gate and up side by side. */
  readonly gateUp: Panels;
  readonly down: Panels;
}

export interface ModelWeights {
  /** [vocabulary, width] */
  readonly embedding: Float32Array;
  readonly layers: readonly LayerWeights[];
  readonly norm: Float32Array;
  readonly head: Panels;
}

/** Throws `input` for a tensor that is missing, of another shape, or that a Qwen3 model does not have. */
export function modelWeights(
  tensors: ReadonlyMap<string, StoredTensor>,
  config: ModelConfig,
  where: string,
): ModelWeights {
  const unread = new Set(tensors.keys());
  const wrong = (what: string) =>
    new UmaError("input", `${where}: ${what}`, { fix: "give config.json and weights of one and the same model" });
  const read = (name: string, ...shape: readonly number[]): Float32Array => {
    const tensor = tensors.get(name);
    if (!tensor) throw wrong(`there is no ${name} in it`);
    if (`${tensor.shape}` !== `${shape}`) throw wrong(`${name} has the shape [${tensor.shape}], expected [${shape}]`);
    unread.delete(name);
    return tensor.values();
  };
  const { width, headWidth, feedForward, vocabulary, queryHeads, keyHeads } = config;
  const queries = queryHeads * headWidth;
  const keys = keyHeads * headWidth;
  const layer = (index: number): LayerWeights => {
    const at = `model.layers.${index}`;
    const matrix = (name: string, out: number, depth: number) => ({
      out,
      depth,
      rows: read(`${at}.${name}.weight`, out, depth),
    });
    return {
      inputNorm: read(`${at}.input_layernorm.weight`, width),
      queryNorm: read(`${at}.self_attn.q_norm.weight`, headWidth),
      keyNorm: read(`${at}.self_attn.k_norm.weight`, headWidth),
      afterNorm: read(`${at}.post_attention_layernorm.weight`, width),
      attention: panels(
        matrix("self_attn.q_proj", queries, width),
        matrix("self_attn.k_proj", keys, width),
        matrix("self_attn.v_proj", keys, width),
      ),
      output: panels(matrix("self_attn.o_proj", width, queries)),
      gateUp: panels(matrix("mlp.gate_proj", feedForward, width), matrix("mlp.up_proj", feedForward, width)),
      down: panels(matrix("mlp.down_proj", width, feedForward)),
    };
  };
  const embedding = read("model.embed_tokens.weight", vocabulary, width);
  const layers = Array.from({ length: config.layers }, (_, index) => layer(index));
  const norm = read("model.norm.weight", width);
  // some files hold the tied output layer a second time
  if (config.tied) unread.delete("lm_head.weight");
  const rows = config.tied ? embedding : read("lm_head.weight", vocabulary, width);
  const head = panels({ rows, out: vocabulary, depth: width });
  const [stray] = unread;
  if (stray !== undefined) throw wrong(`it holds ${stray}, which this model does not have by its config.json`);
  return { embedding, layers, norm, head };
}

interface Matrix {
  /** [out, depth] */
  readonly rows: Float32Array;
  readonly out: number;
  readonly depth: number;
}

function panels(...matrices: readonly [Matrix, ...Matrix[]]): Panels {
  const { depth } = matrices[0];
  const out = matrices.reduce((sum, matrix) => sum + matrix.out, 0);
  const values = new Float32Array(Math.ceil(out / PANEL) * PANEL * depth);
  let column = 0;
  for (const matrix of matrices)
    for (let row = 0; row < matrix.out; row++, column++) {
      const to = Math.floor(column / PANEL) * PANEL * depth + (column % PANEL);
      for (let k = 0; k < depth; k++) values[to + k * PANEL] = matrix.rows[row * depth + k]!;
    }
  return { depth, out, values };
}
