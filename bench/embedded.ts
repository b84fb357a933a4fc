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
const REPLY = 64;
const LONG_REPLY = 200;

interface Work {
  readonly what: string;
  /** Which tokens are counted. */
  readonly counts: "sampled" | "computed";
  /** Whether it is done without the fast kernels as well. */
  readonly plain: boolean;
  run(sampler: BatchSampler, shape: RandomShape, rounds: number): Promise<void>;
}

const together = (many: number): Work => ({
  what: many === 1 ? "one sequence" : `${many} sequences at once`,
  counts: "sampled",
  plain: many === 1,
  async run(sampler, shape, rounds) {
    for (let round = 0; round < rounds; round++)
      await Promise.all(
        Array.from({ length: many }, (_, k) => {
          const seed = round * many + k;
          return sampleOne(sampler, promptOf(shape, seed, 16), seed, LONG_REPLY);
        }),
      );
  },
});

const works: readonly Work[] = [
  ...[1, 4, 16, 64].map(together),
  {
    what: `prompts of ${PROMPT}`,
    counts: "computed",
    plain: true,
    async run(sampler, shape, rounds) {
      for (let seed = 0; seed < 4 * rounds; seed++) await sampleOne(sampler, promptOf(shape, seed, PROMPT), seed, 1);
    },
  },
  {
    what: `16 samples of ${REPLY} for each prompt of ${PROMPT}`,
    counts: "sampled",
    plain: false,
    async run(sampler, shape, rounds) {
      for (let round = 0; round < rounds; round++) {
        const prompt = promptOf(shape, round, PROMPT);
        await Promise.all(Array.from({ length: 16 }, (_, seed) => sampleOne(sampler, prompt, seed, REPLY)));
      }
    },
  },
];

interface Row {
  readonly model: string;
  readonly kernels: "fast" | "plain";
  readonly what: string;
  /** Of processor time. */
  readonly tokensPerSecond: number;
  readonly wallTokensPerSecond: number;
  /** Share of the prompts' tokens that were in the cache. */
  readonly reused: number;
}

export async function run({ json, rounds = 3 }: BenchOptions): Promise<void> {
  const rows: Row[] = [];
  for (const [model, shape] of Object.entries(shapes)) {
    const loaded = randomModel(shape, 4096);
    for (const kernels of ["fast", "plain"] as const)
      for (const work of works.filter(({ plain }) => plain || kernels === "fast")) {
        const sampler = samplerOf(loaded, { temperature: 1, plain: kernels === "plain" });
        const measured = await measure(sampler, work, shape, kernels === "plain" ? 1 : Number(rounds));
        rows.push({ model, kernels, what: work.what, ...measured });
        if (!json) console.log(line(rows.at(-1)!));
      }
  }
  if (json) console.log(JSON.stringify({ node: process.version, parameters: countsOf(shapes), rows }));
  else
    console.log(
      "tokens per second of processor time (one core); by the clock; share of the prompts found in the cache",
    );
}

const line = ({ model, kernels, what, tokensPerSecond, wallTokensPerSecond, reused }: Row) =>
  `${model}  ${kernels.padEnd(6)} ${what.padEnd(38)} ${whole(tokensPerSecond)} ${whole(wallTokensPerSecond)}  ${(100 * reused).toFixed(0).padStart(3)} %`;

const countsOf = (all: typeof shapes) =>
  Object.fromEntries(Object.entries(all).map(([name, shape]) => [name, parameters(shape)]));

async function measure(
  sampler: BatchSampler,
  { counts, run: work }: Work,
  shape: RandomShape,
  rounds: number,
): Promise<Pick<Row, "tokensPerSecond" | "wallTokensPerSecond" | "reused">> {
  await sampleOne(sampler, Int32Array.of(1, 2, 3), 0, 32); // the compiler's turn
  const before = sampler.counts();
  const processor = process.cpuUsage();
  const clock = performance.now();
  await work(sampler, shape, rounds);
  const seconds = (performance.now() - clock) / 1e3;
  const { user, system } = process.cpuUsage(processor);
  const after = sampler.counts();
  const done = after[counts] - before[counts];
  const [reused, computed] = [after.reused - before.reused, after.computed - before.computed];
  return {
    tokensPerSecond: Math.round((done * 1e6) / (user + system)),
    wallTokensPerSecond: Math.round(done / seconds),
    reused: reused / (reused + computed),
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
