/** A Hugging Face folder with a small Qwen3 model, as numbers in memory. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { UmaError } from "../../base/errors.ts";
import { contentHash } from "../../base/hash.ts";
import { type ModelConfig, readModelConfig } from "./model-config.ts";
import { type ModelWeights, modelWeights } from "./model-weights.ts";
import { readSafetensors } from "./safetensors.ts";

export interface LoadedModel {
  readonly config: ModelConfig;
  readonly weights: ModelWeights;
  /** Content hash of the file with the weights. */
  readonly version: string;
}

/** Larger ones would take a second for a few tokens; and all that is computed with has to lie within 2 GiB. */
const MOST_BYTES = 128 * 2 ** 20;

/** Throws `input` for a file that is missing or broken, `config` for a model that is not computed here. */
export async function loadModel(folder: string): Promise<LoadedModel> {
  const path = join(folder, "model.safetensors");
  const json = await read(folder, "config.json");
  const file = await read(folder, "model.safetensors");
  const config = readModelConfig(json.toString("utf8"), join(folder, "config.json"));
  if (file.length > MOST_BYTES)
    throw new UmaError("config", `${path} has ${Math.round(file.length / 2 ** 20)} MiB, too many for one core`, {
      fix: "serve the model, e.g. by vLLM, and take the openai or the learner policy",
    });
  return { config, weights: modelWeights(readSafetensors(file, path), config, path), version: contentHash(file) };
}

const read = (folder: string, name: string) =>
  readFile(join(folder, name)).catch((cause: NodeJS.ErrnoException) => {
    const what =
      cause.code === "ENOENT" ? `there is no ${name} in ${folder}` : `${join(folder, name)}: ${cause.message}`;
    throw new UmaError("input", what, {
      fix: "name a Hugging Face model folder, with config.json, model.safetensors, tokenizer.json and chat template",
      cause,
    });
  });
