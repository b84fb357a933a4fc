/** The shape of a Qwen3 model, from its config.json. What would be computed otherwise than here is refused. */
import { z } from "zod";
import { messageOf, UmaError } from "../../base/errors.ts";

export interface ModelConfig {
  readonly vocabulary: number;
  readonly width: number;
  readonly layers: number;
  readonly queryHeads: number;
  /** Heads of keys and of values; several query heads share one. */
  readonly keyHeads: number;
  readonly headWidth: number;
  readonly feedForward: number;
  readonly epsilon: number;
  readonly ropeBase: number;
  /** The output layer is the embedding. */
  readonly tied: boolean;
  /** Prompt and completion together, in tokens. */
  readonly maxContext: number;
}

const size = z.int().min(1);
const File = z.looseObject({
  vocab_size: size,
  hidden_size: size,
  num_hidden_layers: size,
  num_attention_heads: size,
  num_key_value_heads: size,
  head_dim: size,
  intermediate_size: size,
  rms_norm_eps: z.number().positive(),
  max_position_embeddings: size,
  rope_theta: z.number().positive().nullish(),
  rope_parameters: z
    .looseObject({ rope_theta: z.number().positive().nullish(), rope_type: z.string().nullish() })
    .nullish(),
  tie_word_embeddings: z.boolean().default(false),
});

/** Throws `input` for a file that cannot be read, `config` for another kind of model. `where` names it in errors. */
export function readModelConfig(json: string, where: string): ModelConfig {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (cause) {
    throw new UmaError("input", `${where} is not JSON (${messageOf(cause)})`, { cause });
  }
  const reason = otherKind(value);
  if (reason !== null) throw refusal(where, reason);
  const parsed = File.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new UmaError("input", `${where}: ${issue?.path.join(".")}: ${issue?.message}`);
  }
  const file = parsed.data;
  const config: ModelConfig = {
    vocabulary: file.vocab_size,
    width: file.hidden_size,
    layers: file.num_hidden_layers,
    queryHeads: file.num_attention_heads,
    keyHeads: file.num_key_value_heads,
    headWidth: file.head_dim,
    feedForward: file.intermediate_size,
    epsilon: file.rms_norm_eps,
    ropeBase: file.rope_parameters?.rope_theta ?? file.rope_theta ?? 10_000,
    tied: file.tie_word_embeddings,
    maxContext: file.max_position_embeddings,
  };
  const odd = (["width", "headWidth", "feedForward"] as const).find((name) => config[name] % 16 !== 0);
  if (odd !== undefined) throw refusal(where, `its ${odd} is ${config[odd]}, expected a multiple of 16`);
  if (config.queryHeads % config.keyHeads !== 0)
    throw refusal(where, `${config.queryHeads} query heads cannot share ${config.keyHeads} key heads`);
  return config;
}

const refusal = (where: string, reason: string) =>
  new UmaError("config", `${where}: the embedded policy computes Qwen3 models only; ${reason}`, {
    fix: "use a Qwen3 folder such as umagraph trains, or serve the model and take the openai or the learner policy",
  });

function otherKind(value: unknown): string | null {
  const file = (value ?? {}) as Record<string, unknown>;
  const given = (key: string) => file[key] ?? null;
  const architectures = Array.isArray(file.architectures) ? file.architectures : [];
  if (given("model_type") !== "qwen3") return `this is ${JSON.stringify(given("model_type"))}`;
  if (architectures.some((name) => name !== "Qwen3ForCausalLM")) return `this is ${architectures.join(", ")}`;
  if ((given("hidden_act") ?? "silu") !== "silu") return `its activation is ${given("hidden_act")}`;
  if (given("attention_bias") === true) return "its attention has biases";
  if (given("use_sliding_window") === true) return "its attention has a sliding window";
  if (given("quantization_config") !== null) return "this one is quantized";
  const scaling = (given("rope_parameters") ?? given("rope_scaling")) as Record<string, unknown> | null;
  const rope = scaling?.rope_type ?? scaling?.type ?? "default";
  if (rope !== "default") return `its positions are scaled (${rope})`;
  const layers = Array.isArray(file.layer_types) ? file.layer_types : [];
  const layer = layers.find((type) => type !== "full_attention");
  return layer === undefined ? null : `one of its layers is ${layer}`;
}
