/** Two tiny models and what PyTorch answers for them (tests/golden/embedded/reference.py), and networks made of them. */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { loadModel } from "../../../policies/embedded/load-model.ts";
import {
  type Network,
  type NetworkOptions,
  type NetworkSize,
  qwen3Network,
} from "../../../policies/embedded/qwen3-network.ts";

export const goldenFolder = resolve(import.meta.dirname, "..", "..", "golden", "embedded");
export const folders = { tied: join(goldenFolder, "tied-f16"), untied: join(goldenFolder, "untied-bf16") };

export interface Answer {
  readonly prompt: readonly number[];
  /** Behind the prompt. */
  readonly logits: readonly number[];
  /** Greedy. */
  readonly completion: readonly number[];
  readonly logprobs: readonly number[];
}

export const answersOf = (folder: string): Answer[] => JSON.parse(readFileSync(join(folder, "answers.json"), "utf8"));

export const sizeOf = (size: Partial<NetworkSize> = {}): NetworkSize => ({
  ...{ spans: 8, rows: 72, spanRows: 64, blocks: 40, maxContext: 256 },
  ...size,
});

export async function networkOf(folder: string, options: NetworkOptions = {}): Promise<Network> {
  const { config, weights } = await loadModel(folder);
  return qwen3Network(config, weights, sizeOf(), options);
}

export const blocksFrom = (first: number) => Array.from({ length: 8 }, (_, i) => first + i);

/** Behind the whole prompt, computed in one call. */
export function logitsOf(network: Network, tokens: readonly number[]): Float32Array {
  network.forward([{ tokens, start: 0, count: tokens.length, blocks: blocksFrom(0) }]);
  return network.logits([0])[0]!.slice();
}

export const furthest = (a: ArrayLike<number>, b: ArrayLike<number>) =>
  Array.from(a).reduce((most, value, i) => Math.max(most, Math.abs(value - b[i]!)), 0);
