/**
 * How fast the embedded policy's network runs in this process, on random models of its architecture: one sequence alone,
 * many at once, prompts, and what the cache of prompts saves. Tokens per second of processor time, so of one core.
 */
import { rng } from "../base/rng.ts";
import type { BatchSampler } from "../policies/embedded/batch-sampler.ts";
import { samplerOf } from "../policies/embedded/embedded-sampler.ts";
import { type RandomShape, randomModel } from "./embedded-model.ts";
import type { BenchOptions } from "./main.ts";

const shapes: Readonly<Record<string, RandomShape>> = {
  "1M": { width: 128, layers: 4, queryHeads: 4, keyHeads: 2, headWidth: 32, feedForward: 384, vocabulary: 1536 },
  "2M": { width: 192, layers: 4, queryHeads: 6, keyHeads: 3, headWidth: 32, feedForward: 512, vocabulary: 1536 },
};
const PROMPT = 400;
const COMPLETION = 64;

interface Row {
  readonly model: string;
  readonly kernels: "fast" | "plain";
  readonly what: string;
  readonly tokensPerSecond: number;
  readonly wallTokensPerSecond: number;
}

export async function run({ json, prompt = PROMPT, tokens = COMPLETION }: BenchOptions): Promise<void> {
  const length = Number(prompt);
  const completion = Number(tokens);
  const rows: Row[] = [];
  const reuse: { model: string; asked: number; computed: number }[] = [];
  for (const [name, shape] of Object.entries(shapes)) {
    const model = randomModel(shape, 4096);
    for (const kernels of ["fast", "plain"] as const) {
      const plain = kernels === "plain";
      const sampler = () => samplerOf(model, { temperature: 1, plain });
      const add = async (
        what: string,
        counted: (counts: Counts) => number,
        work: (s: BatchSampler) => Promise<void>,
      ) => {
        const measured = await measure(sampler(), counted, work);
        rows.push({ model: `${name} (${(parameters(shape) / 1e6).toFixed(2)}M)`, kernels, what, ...measured });
      };
      const drawn = (counts: Counts) => counts.sampled;
      const one = (s: BatchSampler, seed: number, count = completion) =>
        sampleOne(s, promptOf(shape, seed, 16), seed, count);
      await add("one sequence", drawn, async (s) => {
        for (let seed = 0; seed < (plain ? 2 : 10); seed++) await one(s, seed, length);
      });
      if (!plain)
        for (const many of [4, 16, 64])
          await add(`${many} sequences at once`, drawn, async (s) => {
            for (let round = 0; round < 3; round++)
              await Promise.all(Array.from({ length: many }, (_, seed) => one(s, round * many + seed, length)));
          });
      await add(
        "prompts",
        ({ computed }) => computed,
        async (s) => {
          for (let seed = 0; seed < (plain ? 3 : 20); seed++)
            await sampleOne(s, promptOf(shape, seed, length), seed, 1);
        },
      );
      if (plain) continue;
      const counts: Counts[] = [];
      await add(`sessions of ${length} + ${completion}, 16 of each prompt`, drawn, async (s) => {
        for (let round = 0; round < 4; round++) {
          const ids = promptOf(shape, round, length);
          await Promise.all(Array.from({ length: 16 }, (_, seed) => sampleOne(s, ids, seed, completion)));
        }
        counts.push(s.counts());
      });
      const { computed, reused } = counts.at(-1)!;
      reuse.push({ model: name, asked: computed + reused, computed });
    }
  }
  if (json) return console.log(JSON.stringify({ node: process.version, rows, reuse }));
  for (const row of rows)
    console.log(
      `${row.model.padEnd(11)} ${row.kernels.padEnd(6)} ${row.what.padEnd(42)} ${whole(row.tokensPerSecond)} tokens/s of one core, ${whole(row.wallTokensPerSecond)} by the clock`,
    );
  for (const { model, asked, computed } of reuse)
    console.log(`${model}: of ${asked} prompt tokens ${computed} were computed, the rest was in the cache`);
}

type Counts = ReturnType<BatchSampler["counts"]>;

async function measure(
  sampler: BatchSampler,
  counted: (counts: Counts) => number,
  work: (sampler: BatchSampler) => Promise<void>,
): Promise<Pick<Row, "tokensPerSecond" | "wallTokensPerSecond">> {
  await sampleOne(sampler, Int32Array.of(1, 2, 3), 0, 32); // the compiler's turn
  const before = counted(sampler.counts());
  const processor = process.cpuUsage();
  const clock = performance.now();
  await work(sampler);
  const done = counted(sampler.counts()) - before;
  const { user, system } = process.cpuUsage(processor);
  return {
    tokensPerSecond: Math.round((done * 1e6) / (user + system)),
    wallTokensPerSecond: Math.round((done * 1e3) / (performance.now() - clock)),
  };
}

const sampleOne = async (sampler: BatchSampler, promptIds: Int32Array, seed: number, maxTokens: number) => {
  await sampler.sample({ promptIds, maxTokens, seed, stopIds: [] });
};

function promptOf({ vocabulary }: RandomShape, seed: number, length: number): Int32Array {
  const random = rng("bench-embedded", seed);
  return Int32Array.from({ length }, () => random.int(0, vocabulary - 1));
}

function parameters({ width, layers, queryHeads, keyHeads, headWidth, feedForward, vocabulary }: RandomShape): number {
  const attention = 2 * width * headWidth * (queryHeads + keyHeads) + 2 * headWidth;
  return vocabulary * width + width + layers * (attention + 3 * width * feedForward + 2 * width);
}

const whole = (count: number) => String(count).padStart(6);
