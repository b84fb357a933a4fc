/**
 * What the paper states for all of its runs (UMA App. I, §2.3), and a size between it and a laptop.
 *
 * Not stated there, so ours: AdamW's moments and decay (PyTorch's), one context per update (as §2.3.1 reads), one step per
 * update, 32 turns.
 */
import type { RlFile } from "./recipe-file.ts";

export const paper = {
  model: "Qwen/Qwen3-4B-Instruct-2507",
  loraRank: null,
  sampler: "learner",
  rollout: {
    G: 16,
    M: null,
    toolset: "paper",
    prompts: "default",
    limits: { promptTokens: 8_192, interactionTokens: 8_192 },
  },
  credit: { profile: "paper", rewards: { lambda: 0.5 } },
  adam: { learningRate: 1e-6, beta1: 0.9, beta2: 0.999, eps: 1e-8, weightDecay: 0.01, gradClipNorm: 1 },
  minibatches: 1,
  saveEvery: 10,
} satisfies RlFile["fields"];

/** One GPU, a day: a smaller model with an adapter, shorter sessions, smaller groups. */
export const oneGpu = {
  model: "Qwen/Qwen3-0.6B",
  loraRank: 32,
  sampler: "learner",
  rollout: {
    G: 8,
    M: 8,
    toolset: "ledger",
    prompts: "ledger",
    limits: { promptTokens: 4_096, interactionTokens: 2_048 },
  },
  adam: { learningRate: 2e-5, warmUp: 5 },
  minibatches: 1,
  updates: 100,
  saveEvery: 5,
} satisfies RlFile["fields"];

/** Held-out contexts of Ledger-QA: another split, which has wording of its own, and other seeds. */
export const heldOutLedger = (horizon: number, contexts: number) => ({
  benchmark: "ledger-qa",
  config: { profile: "full" as const, split: "test" as const, horizon, seed: 4_242 },
  contexts,
});
