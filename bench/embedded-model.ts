/** A Qwen3 model of random numbers, as fast as a trained one. */
import { rng } from "../base/rng.ts";
import type { LoadedModel } from "../policies/embedded/load-model.ts";
import { modelWeights } from "../policies/embedded/model-weights.ts";
import type { StoredTensor } from "../policies/embedded/safetensors.ts";

export interface RandomShape {
  readonly width: number;
  readonly layers: number;
  readonly queryHeads: number;
  readonly keyHeads: number;
  readonly headWidth: number;
  readonly feedForward: number;
  readonly vocabulary: number;
}

export function randomModel(shape: RandomShape, maxContext: number): LoadedModel {
  const random = rng("random-model");
  const tensors = new Map<string, StoredTensor>();
  const tensor = (name: string, ...size: number[]) => {
    const count = size.reduce((product, n) => product * n, 1);
    const values = Float32Array.from({ length: count }, () => (size.length === 1 ? 1 : 0.2 * (random.next() - 0.5)));
    tensors.set(`model.${name}.weight`, { shape: size, values: () => values });
  };
  const { width, headWidth, feedForward } = shape;
  tensor("embed_tokens", shape.vocabulary, width);
  tensor("norm", width);
  for (let layer = 0; layer < shape.layers; layer++) {
    const at = `layers.${layer}`;
    tensor(`${at}.input_layernorm`, width);
    tensor(`${at}.post_attention_layernorm`, width);
    tensor(`${at}.self_attn.q_norm`, headWidth);
    tensor(`${at}.self_attn.k_norm`, headWidth);
    tensor(`${at}.self_attn.q_proj`, shape.queryHeads * headWidth, width);
    tensor(`${at}.self_attn.k_proj`, shape.keyHeads * headWidth, width);
    tensor(`${at}.self_attn.v_proj`, shape.keyHeads * headWidth, width);
    tensor(`${at}.self_attn.o_proj`, width, shape.queryHeads * headWidth);
    tensor(`${at}.mlp.gate_proj`, feedForward, width);
    tensor(`${at}.mlp.up_proj`, feedForward, width);
    tensor(`${at}.mlp.down_proj`, width, feedForward);
  }
  const config = { ...shape, epsilon: 1e-6, ropeBase: 10_000, tied: true, maxContext };
  return { config, weights: modelWeights(tensors, config, "random"), version: "random" };
}
