/** A randomly initialised Qwen3 model of a few layers: the Hugging Face folder that supervised training begins with. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Rng, rng } from "../../../base/rng.ts";
import { chatTemplate } from "./chat-template.ts";
import { type Tensor, writeSafetensors } from "./write-safetensors.ts";

export interface ModelShape {
  /** Width of the states. */
  readonly width: number;
  readonly layers: number;
  /** Query heads; half as many heads of keys and values. */
  readonly heads: number;
  readonly headWidth: number;
  readonly feedForward: number;
  /** Longest sequence, in tokens. */
  readonly context: number;
  /** Base of the rotary positions. */
  readonly rope: number;
}

export interface InitialModel {
  readonly shape: ModelShape;
  /** Text of a tokenizer.json. */
  readonly tokenizer: string;
  readonly seed: number;
}

/** Standard deviation of the embeddings and of every matrix; those that write into the stream get less with depth. */
const spread = 0.02;

/** Gives the number of parameters. */
export function writeInitialModel(folder: string, { shape, tokenizer, seed }: InitialModel): number {
  const { model, added_tokens } = JSON.parse(tokenizer) as {
    model: { vocab: object };
    added_tokens: { id: number; content: string }[];
  };
  const vocabulary = Object.keys(model.vocab).length + added_tokens.length;
  const end = added_tokens.find(({ content }) => content === "<|end|>")!.id;
  const tensors = initialTensors(shape, vocabulary, seed);
  mkdirSync(folder, { recursive: true });
  const write = (name: string, content: string | Buffer) => writeFileSync(join(folder, name), content);
  write("tokenizer.json", tokenizer);
  write(
    "tokenizer_config.json",
    json({
      tokenizer_class: "PreTrainedTokenizerFast",
      eos_token: "<|end|>",
      pad_token: "<|end|>",
      model_max_length: shape.context,
      clean_up_tokenization_spaces: false,
    }),
  );
  write("chat_template.jinja", chatTemplate);
  write("config.json", json(configOf(shape, vocabulary, end)));
  write("generation_config.json", json({ eos_token_id: end, pad_token_id: end, do_sample: true, temperature: 1 }));
  write("model.safetensors", writeSafetensors(tensors, "F32"));
  return tensors.reduce((sum, { values }) => sum + values.length, 0);
}

const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;

export const configOf = (shape: ModelShape, vocabulary: number, end: number) => ({
  architectures: ["Qwen3ForCausalLM"],
  model_type: "qwen3",
  vocab_size: vocabulary,
  hidden_size: shape.width,
  num_hidden_layers: shape.layers,
  num_attention_heads: shape.heads,
  num_key_value_heads: shape.heads / 2,
  head_dim: shape.headWidth,
  intermediate_size: shape.feedForward,
  hidden_act: "silu",
  max_position_embeddings: shape.context,
  rope_theta: shape.rope,
  rope_scaling: null,
  rms_norm_eps: 1e-6,
  attention_bias: false,
  attention_dropout: 0,
  tie_word_embeddings: true,
  use_sliding_window: false,
  bos_token_id: null,
  eos_token_id: end,
  pad_token_id: end,
  torch_dtype: "float32",
});

function initialTensors(shape: ModelShape, vocabulary: number, seed: number): Tensor[] {
  const { width, layers, heads, headWidth, feedForward } = shape;
  const matrix = (name: string, rows: number, columns: number, deviation = spread): Tensor => ({
    name,
    shape: [rows, columns],
    values: normal(rows * columns, deviation, rng(seed, "initial-model", name)),
  });
  const ones = (name: string, size: number): Tensor => ({
    name,
    shape: [size],
    values: new Float32Array(size).fill(1),
  });
  const out = spread / Math.sqrt(2 * layers);
  const layer = (n: number): Tensor[] => {
    const at = `model.layers.${n}`;
    return [
      ones(`${at}.input_layernorm.weight`, width),
      ones(`${at}.post_attention_layernorm.weight`, width),
      ones(`${at}.self_attn.q_norm.weight`, headWidth),
      ones(`${at}.self_attn.k_norm.weight`, headWidth),
      matrix(`${at}.self_attn.q_proj.weight`, heads * headWidth, width),
      matrix(`${at}.self_attn.k_proj.weight`, (heads / 2) * headWidth, width),
      matrix(`${at}.self_attn.v_proj.weight`, (heads / 2) * headWidth, width),
      matrix(`${at}.self_attn.o_proj.weight`, width, heads * headWidth, out),
      matrix(`${at}.mlp.gate_proj.weight`, feedForward, width),
      matrix(`${at}.mlp.up_proj.weight`, feedForward, width),
      matrix(`${at}.mlp.down_proj.weight`, width, feedForward, out),
    ];
  };
  return [
    matrix("model.embed_tokens.weight", vocabulary, width),
    ...Array.from({ length: layers }, (_, n) => layer(n)).flat(),
    ones("model.norm.weight", width),
  ];
}

/** Box and Muller's method. */
function normal(count: number, deviation: number, random: Rng): Float32Array {
  const values = new Float32Array(count);
  for (let i = 0; i < count; i += 2) {
    const radius = deviation * Math.sqrt(-2 * Math.log(1 - random.next()));
    const angle = 2 * Math.PI * random.next();
    values[i] = radius * Math.cos(angle);
    if (i + 1 < count) values[i + 1] = radius * Math.sin(angle);
  }
  return values;
}
