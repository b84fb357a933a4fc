/** A model folder as a token sampler in this process: the network, its memory, and the loop that serves all who sample. */
import { UmaError } from "../../base/errors.ts";
import { type BatchSampler, batchSampler } from "./batch-sampler.ts";
import { BLOCK, blockBytes } from "./kv-blocks.ts";
import { type LoadedModel, loadModel } from "./load-model.ts";
import { type NetworkSize, qwen3Network } from "./qwen3-network.ts";

export interface EmbeddedSamplerOptions {
  /** 0, the default, takes the most probable token; only what is sampled at 1 can be trained on. */
  readonly temperature?: number | undefined;
  /** Sequences under way at once; further ones wait. */
  readonly concurrency?: number | undefined;
  /** Memory for keys and values, those kept for later prompts included: 256 by default, taken as it is needed. */
  readonly cacheMegabytes?: number | undefined;
  /** Without the fast kernels; for comparisons. */
  readonly plain?: boolean | undefined;
}

/** Tokens of prompts in one step, besides one token of every sequence: as long as a step should take. */
const PROMPT_ROWS = 64;
const CONCURRENCY = 64;
const CACHE_MEGABYTES = 256;

/** Throws `input` for files that are missing or broken, `config` for a model that is not computed here. */
export const embeddedSampler = async (folder: string, options: EmbeddedSamplerOptions = {}): Promise<BatchSampler> =>
  samplerOf(await loadModel(folder), options);

export function samplerOf(model: LoadedModel, options: EmbeddedSamplerOptions = {}): BatchSampler {
  const { temperature = 0, concurrency = CONCURRENCY, cacheMegabytes = CACHE_MEGABYTES } = options;
  const { config, weights, version } = model;
  const blocks = Math.floor((cacheMegabytes * 2 ** 20) / blockBytes(config));
  // a sequence reserves one block more than its tokens fill
  const maxContext = Math.min(config.maxContext, (blocks - 1) * BLOCK);
  if (maxContext < 2 * BLOCK)
    throw new UmaError(
      "config",
      `a cache of ${cacheMegabytes} MiB holds ${Math.max(0, maxContext)} tokens of this model`,
      {
        fix: `give cacheMegabytes of at least ${Math.ceil((4 * blockBytes(config)) / 2 ** 20)}`,
      },
    );
  const size: NetworkSize = {
    spans: concurrency,
    spanRows: PROMPT_ROWS,
    rows: PROMPT_ROWS + concurrency,
    blocks,
    maxContext,
  };
  const network = () => {
    try {
      return qwen3Network(config, weights, size, { plain: options.plain });
    } catch (cause) {
      throw new UmaError("config", `there is no memory for the model and a cache of ${cacheMegabytes} MiB`, {
        fix: "give a smaller cacheMegabytes or fewer threads",
        cause,
      });
    }
  };
  return batchSampler(network(), size, { weights: version, temperature });
}
