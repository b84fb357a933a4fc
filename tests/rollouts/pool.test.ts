/** The pool and the main thread give the same records, whatever the number of threads and sessions in flight. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { loadBenchmark } from "../../evals/benchmarks/index.ts";
import { evaluate } from "../../evals/evaluate.ts";
import { createRunFolder, openRunFolder, type RunConfig, readRecords, readScores } from "../../evals/run-folder.ts";
import { loadVariant } from "../../graphs/variants/load-variant.ts";
import { loadPrompts } from "../../nodes/prompts/prompts.ts";
import { withoutTimes } from "../../nodes/session/record.ts";
import { createPolicy } from "../../policies/index.ts";
import { createSource } from "../../retrieval/source.ts";
import { openSamplingThreads, type SamplingThreads } from "../../rollouts/pool/sampling-threads.ts";
import { toolsets } from "../../tools/toolsets.ts";
import { wordsConfig } from "../evals/run-words.ts";

const parent = mkdtempSync(join(tmpdir(), "umagraph-pool-"));
afterAll(() => rmSync(parent, { recursive: true }));
let runs = 0;

const spec = { policy: "ledger-expert" };

async function sampled(options: {
  threads: number | SamplingThreads;
  concurrency: number;
  variant?: string;
  seed?: number;
  G?: number;
  M?: number | null;
}) {
  const { threads, concurrency, variant = "uma", seed = 3, G = 3, M = 4 } = options;
  const path = join(parent, `run-${++runs}`);
  const config: RunConfig = wordsConfig({
    name: "pool",
    benchmark: { name: "ledger-qa", config: { horizon: [3], contexts: 3, seed } },
    variant: { spec: variant, name: (await loadVariant(variant)).name, paper: variant },
    policy: { spec, name: "ledger-expert", scripted: true },
    toolset: "ledger",
    rollout: { G, M },
    concurrency,
  });
  createRunFolder(path, config);
  const result = await evaluate({
    folder: openRunFolder(path),
    benchmark: await loadBenchmark("ledger-qa"),
    variant: await loadVariant(variant),
    policy: await createPolicy(spec),
    toolset: toolsets.ledger,
    prompts: loadPrompts(),
    openSource: (chunks) => createSource(chunks),
    pool: { threads, policy: spec, variant },
  });
  const records = readRecords(path)
    .map(withoutTimes)
    .sort((one, other) => (one.id < other.id ? -1 : 1));
  return { path, result, records, scores: readScores(path) };
}

describe("the pool", () => {
  it("gives the records of the main thread, for any number of threads and sessions in flight", async () => {
    const reference = await sampled({ threads: 0, concurrency: 1 });
    expect(reference.result).toMatchObject({ complete: true, failed: 0, done: 3 * 3 * (3 + 4) });
    expect(new Set(reference.records.map(({ trajectory }) => trajectory))).toEqual(new Set([0, 1, 2]));
    for (const options of [
      { threads: 0, concurrency: 16 },
      { threads: 1, concurrency: 4 },
      { threads: 2, concurrency: 2 },
      { threads: 2, concurrency: 16 },
    ]) {
      const run = await sampled(options);
      expect(run.records, JSON.stringify(options)).toEqual(reference.records);
      expect(run.scores).toEqual(reference.scores);
    }
  });

  it("serves several runs, side by side and one after the other, on threads that outlive them", async () => {
    const [one, other] = await Promise.all([5, 6].map((seed) => sampled({ threads: 0, concurrency: 4, seed, G: 2 })));
    const threads = openSamplingThreads({ threads: 2, concurrency: 8 });
    try {
      const shared = (seed: number) => sampled({ threads, concurrency: 8, seed, G: 2 });
      const both = await Promise.all([shared(5), shared(6)]);
      expect(both.map(({ records }) => records)).toEqual([one!.records, other!.records]);
      expect((await shared(5)).records).toEqual(one!.records);
      expect(threads.pool.threads).toHaveLength(2);
    } finally {
      await threads.close();
    }
    expect(() => openSamplingThreads({ threads: 0, concurrency: 8 })).toThrow(/at least one thread, got 0/);
  });
});
