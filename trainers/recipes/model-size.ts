/** How large a model is, from its config.json or, for the Qwen3 family, from its name: what memory arithmetic needs. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { modelPlace } from "./model-place.ts";

export interface ModelSize {
  readonly parameters: number;
  readonly layers: number;
  /** Of the states. */
  readonly width: number;
  /** Numbers that one token of context leaves in the KV cache. */
  readonly kvPerToken: number;
}

const Config = z.object({
  vocab_size: z.int(),
  hidden_size: z.int(),
  num_hidden_layers: z.int(),
  num_attention_heads: z.int(),
  num_key_value_heads: z.int().optional(),
  head_dim: z.int().nullish(),
  intermediate_size: z.int(),
  tie_word_embeddings: z.boolean().default(false),
});
type Config = z.input<typeof Config>;

const qwen3 = (
  layers: number,
  width: number,
  heads: number,
  feedForward: number,
  tied: boolean,
): z.infer<typeof Config> => ({
  vocab_size: 151_936,
  hidden_size: width,
  num_hidden_layers: layers,
  num_attention_heads: heads,
  num_key_value_heads: 8,
  head_dim: 128,
  intermediate_size: feedForward,
  tie_word_embeddings: tied,
});

/** By what a name has to contain. */
const family: readonly (readonly [RegExp, Config])[] = [
  [/qwen3-0\.6b/i, qwen3(28, 1_024, 16, 3_072, true)],
  [/qwen3-1\.7b/i, qwen3(28, 2_048, 16, 6_144, true)],
  [/qwen3-4b/i, qwen3(36, 2_560, 32, 9_728, true)],
  [/qwen3-8b/i, qwen3(36, 4_096, 32, 12_288, false)],
  [/qwen3-14b/i, qwen3(40, 5_120, 40, 17_408, false)],
  [/qwen3-32b/i, qwen3(64, 5_120, 64, 25_600, false)],
];

/** Null for a model whose shape is not known here: then nothing is said about what it needs. */
export function modelSize(model: string): ModelSize | null {
  const path = join(modelPlace(model), "config.json");
  const known = existsSync(path)
    ? JSON.parse(readFileSync(path, "utf8"))
    : family.find(([name]) => name.test(model))?.[1];
  const parsed = Config.safeParse(known);
  return parsed.success ? sizeOf(parsed.data) : null;
}

/** Matrices of a decoder with gated feed-forward; norms and biases are too few to matter. */
function sizeOf(config: z.infer<typeof Config>): ModelSize {
  const { hidden_size: width, num_hidden_layers: layers, num_attention_heads: heads } = config;
  const { num_key_value_heads: kvHeads = heads, intermediate_size: feedForward, vocab_size: words } = config;
  const headWidth = config.head_dim ?? width / heads;
  const attention = width * headWidth * (2 * heads + 2 * kvHeads);
  const embeddings = words * width * (config.tie_word_embeddings ? 1 : 2);
  return {
    parameters: layers * (attention + 3 * width * feedForward) + embeddings,
    layers,
    width,
    kvPerToken: 2 * layers * kvHeads * headWidth,
  };
}
