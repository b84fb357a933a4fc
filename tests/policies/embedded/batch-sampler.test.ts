import { describe, expect, it } from "vitest";
import { rng } from "../../../base/rng.ts";
import { type BatchSampler, batchSampler } from "../../../policies/embedded/batch-sampler.ts";
import { embeddedSampler } from "../../../policies/embedded/embedded-sampler.ts";
import { loadModel } from "../../../policies/embedded/load-model.ts";
import { qwen3Network } from "../../../policies/embedded/qwen3-network.ts";
import type { TokenRequest } from "../../../policies/token-exact/token-sampler.ts";
import { folders, logitsOf, networkOf, sizeOf } from "./golden-models.ts";

const folder = folders.tied;
const promptOf = (name: string | number, length: number) => {
  const random = rng("batch-sampler-test", name);
  return Int32Array.from({ length }, () => random.int(0, 599));
};
const request = (promptIds: Int32Array, more: Partial<TokenRequest> = {}): TokenRequest => ({
  ...{ promptIds, maxTokens: 20, seed: 1, stopIds: [] },
  ...more,
});
const plain = ({ ids, logprobs, stop }: Awaited<ReturnType<BatchSampler["sample"]>>) => [[...ids], [...logprobs], stop];

/** With little room: sequences wait for one another, and what was computed is thrown out again. */
async function cramped(blocks: number): Promise<BatchSampler> {
  const { config, weights } = await loadModel(folder);
  const size = sizeOf({ spans: 3, rows: 35, spanRows: 32, blocks, maxContext: 128 });
  return batchSampler(qwen3Network(config, weights, size), size, { weights: "w", temperature: 1 });
}

describe("sampling many sequences at once", () => {
  const many = Array.from({ length: 14 }, (_, i) =>
    request(promptOf(i % 5, 5 + 11 * (i % 5)), { seed: i, maxTokens: 3 + i }),
  );

  it("gives each what it would have got alone, to the bit", async () => {
    const alone = [];
    const one = await embeddedSampler(folder, { temperature: 1 });
    for (const single of many) alone.push(plain(await one.sample(single)));
    const fresh = await embeddedSampler(folder, { temperature: 1 });
    expect((await Promise.all(many.map((single) => fresh.sample(single)))).map(plain)).toEqual(alone);
    for (const blocks of [10, 13, 30]) {
      const small = await cramped(blocks);
      for (let round = 0; round < 2; round++)
        expect((await Promise.all(many.map((single) => small.sample(single)))).map(plain)).toEqual(alone);
    }
  });

  it("computes a prompt once for all samples of it, up to its last whole block", async () => {
    const sampler = await embeddedSampler(folder, { temperature: 1 });
    const prompt = promptOf("long", 100);
    await Promise.all(Array.from({ length: 16 }, (_, seed) => sampler.sample(request(prompt, { seed }))));
    expect(sampler.counts()).toMatchObject({ computed: 96 + 16 * 4, reused: 15 * 96, sampled: 16 * 20 });
  });

  it("computes of a session's next turn only what was added", async () => {
    const sampler = await embeddedSampler(folder, { temperature: 1 });
    const first = promptOf("turn", 90);
    const { ids } = await sampler.sample(request(first));
    const before = sampler.counts();
    const next = Int32Array.from([...first, ...ids, ...promptOf("observation", 30)]);
    const reply = await sampler.sample(request(next));
    const { computed, reused } = sampler.counts();
    // the last token that was drawn had not been computed; 109 tokens are six whole blocks and a bit
    expect(reused - before.reused).toBe(96);
    expect(computed - before.computed).toBe(140 - 96);
    const fresh = await embeddedSampler(folder, { temperature: 1 });
    expect(plain(await fresh.sample(request(next)))).toEqual(plain(reply));
  });

  it("reports the log-probability of each token under the tempered distribution that it was drawn from", async () => {
    const network = await networkOf(folder);
    for (const temperature of [1, 0.5, 1.7]) {
      const sampler = await embeddedSampler(folder, { temperature });
      const { ids, logprobs } = await sampler.sample(request(promptOf("scores", 12)));
      const tokens = [...promptOf("scores", 12)];
      ids.forEach((id, i) => {
        const scaled = Array.from(logitsOf(network, tokens), (logit) => logit / temperature);
        const most = Math.max(...scaled);
        const total = scaled.reduce((sum, value) => sum + Math.exp(value - most), 0);
        expect(logprobs[i]).toBeCloseTo(scaled[id]! - most - Math.log(total), 5);
        tokens.push(id);
      });
    }
  });

  it("draws tokens as often as they are probable, and greedily the most probable", async () => {
    const prompt = promptOf("frequencies", 9);
    const logits = logitsOf(await networkOf(folder), [...prompt]);
    const sampler = await embeddedSampler(folder, { temperature: 1 });
    const draws = 2_000;
    const drawn = await Promise.all(
      Array.from({ length: draws }, (_, seed) => sampler.sample(request(prompt, { seed, maxTokens: 1 }))),
    );
    const total = logits.reduce((sum, value) => sum + Math.exp(value), 0);
    const likely = [...logits.keys()].sort((a, b) => logits[b]! - logits[a]!).slice(0, 5);
    for (const id of likely) {
      const share = Math.exp(logits[id]!) / total;
      const found = drawn.filter(({ ids }) => ids[0] === id).length / draws;
      expect(Math.abs(found - share)).toBeLessThan(4 * Math.sqrt((share * (1 - share)) / draws));
    }
    const greedy = await embeddedSampler(folder);
    expect((await greedy.sample(request(prompt, { maxTokens: 1 }))).ids[0]).toBe(likely[0]);
  });

  it("gives the same for the same seed and something else for another", async () => {
    const sampler = await embeddedSampler(folder, { temperature: 1 });
    const of = async (seed: number) => plain(await sampler.sample(request(promptOf("seed", 30), { seed })));
    expect(await of(5)).toEqual(await of(5));
    expect(await of(6)).not.toEqual(await of(5));
  });

  it("ends at a stop id, which is the last, or at the limit, or where the context ends", async () => {
    const sampler = await embeddedSampler(folder, { temperature: 1 });
    const prompt = promptOf("stops", 20);
    const whole = await sampler.sample(request(prompt));
    expect([whole.ids.length, whole.stop]).toEqual([20, "length"]);
    const stopId = whole.ids[7]!;
    const cut = await sampler.sample(request(prompt, { stopIds: [stopId] }));
    const at = whole.ids.indexOf(stopId);
    expect([[...cut.ids], cut.stop]).toEqual([[...whole.ids.slice(0, at + 1)], "stop"]);
    const small = await cramped(30);
    const long = await small.sample(request(promptOf("full", 120), { maxTokens: 500 }));
    expect([long.ids.length, long.stop]).toEqual([8, "length"]);
  });

  it("leaves the event loop its turns, stops where it is told to, and goes on with the others", async () => {
    const sampler = await embeddedSampler(folder, { temperature: 1 });
    const controller = new AbortController();
    let turns = 0;
    const count = () => {
      turns++;
      if (turns === 10) controller.abort();
      if (turns < 40) setImmediate(count);
    };
    setImmediate(count);
    const stopped = sampler.sample(request(promptOf("a", 40), { maxTokens: 900, signal: controller.signal }));
    const other = sampler.sample(request(promptOf("b", 40), { maxTokens: 60 }));
    await expect(stopped).rejects.toMatchObject({ code: "cancelled" });
    expect(turns).toBeGreaterThanOrEqual(10);
    expect(sampler.counts().sampled).toBeLessThan(60);
    expect((await other).ids).toHaveLength(60);
    const again = await sampler.sample(request(promptOf("b", 40), { maxTokens: 60 }));
    expect(plain(again)).toEqual(plain(await other));
  });

  it("refuses what cannot be sampled, in words", async () => {
    const sampler = await embeddedSampler(folder);
    await expect(sampler.sample(request(Int32Array.of()))).rejects.toThrow(/a prompt of 1 to 1023 tokens, got 0/);
    await expect(sampler.sample(request(Int32Array.of(1, 600)))).rejects.toThrow(
      /tokens 0 to 599, the prompt holds 600/,
    );
    await expect(sampler.sample(request(Int32Array.of(-1)))).rejects.toThrow(/the prompt holds -1/);
    await expect(sampler.sample(request(promptOf(0, 4), { maxTokens: 0 }))).rejects.toThrow(/maxTokens of at least 1/);
    await expect(sampler.sample(request(promptOf(0, 2000)))).rejects.toThrow(/got 2000/);
    await expect(sampler.sample(request(promptOf(0, 4), { signal: AbortSignal.abort() }))).rejects.toMatchObject({
      code: "cancelled",
    });
    await expect(embeddedSampler(folder, { cacheMegabytes: 0.001 })).rejects.toMatchObject({ code: "config" });
  });

  it("says so when the logits are no numbers, and serves the next one", async () => {
    const { config, weights } = await loadModel(folder);
    const norm = weights.norm.map((_, i) => (i === 0 ? Number.NaN : 1));
    const size = sizeOf();
    const broken = batchSampler(qwen3Network(config, { ...weights, norm }, size), size, {
      weights: "w",
      temperature: 1,
    });
    for (let i = 0; i < 2; i++)
      await expect(broken.sample(request(promptOf(i, 10)))).rejects.toMatchObject({
        code: "provider",
        message: expect.stringContaining("no numbers"),
      });
  });
});
