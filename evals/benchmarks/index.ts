/** Benchmarks by name; each is loaded only when asked for. */
import { UmaError } from "../../base/errors.ts";
import type { Benchmark } from "../benchmark.ts";

const benchmarks: Record<string, () => Promise<Benchmark>> = {
  "ledger-qa": async () => (await import("./ledger-qa/benchmark.ts")).ledgerQa as unknown as Benchmark,
  locomo: async () => (await import("./locomo/locomo.ts")).locomo as unknown as Benchmark,
};

export const benchmarkNames = () => Object.keys(benchmarks);

export async function loadBenchmark(name: string): Promise<Benchmark> {
  const load = Object.hasOwn(benchmarks, name) ? benchmarks[name] : undefined;
  if (!load) {
    throw new UmaError("config", `there is no benchmark named "${name}"`, {
      fix: `benchmarks: ${benchmarkNames().join(", ")}`,
    });
  }
  return load();
}
