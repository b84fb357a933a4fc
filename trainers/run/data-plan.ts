/** Which contexts each update is sampled on, and which are held out (UMA App. I). */
import type { Benchmark } from "../../evals/benchmark.ts";
import type { DataSource } from "../recipes/recipe.ts";

export interface PlannedSource {
  /** The name of its folder within an update: the benchmark's, numbered where a recipe has several of it. */
  readonly name: string;
  readonly source: DataSource;
  /** Yields the chosen contexts and no others. */
  readonly benchmark: Benchmark;
  /** As it is written into the run folder. */
  readonly config: Record<string, unknown>;
}

export interface DataPlan {
  /** Of an update, 1-based. */
  training(update: number): Promise<readonly PlannedSource[]>;
  readonly heldOut: readonly PlannedSource[];
}
