/** Run folders with several trajectories, made of records whose rewards were worked out by hand (algorithms A.21.1). */
import type { SampledContext } from "../../../trainers/rewards/session-grid.ts";
import { inventRun } from "../../evals/reports/invented-run.ts";
import { published, sampledFrom } from "../rewards/sampled.ts";

/** G = 3, N = 2, M = 2 in each context; the outcome is the metric "exact". */
export const goldenContexts: readonly SampledContext[] = [sampledFrom(published), sampledFrom(published, "d")];

export function writeSampledRun(
  parent: string,
  name: string,
  sampled: readonly SampledContext[] = goldenContexts,
): string {
  return inventRun(parent, name, {
    config: { rollout: { G: 3, M: 2 } },
    contexts: sampled.map(({ context: { id, questions } }) => ({ id, questions, chunks: ["one", "two"], facets: {} })),
    records: sampled.flatMap(({ records }) => records),
    scores: sampled.flatMap(({ scores }) => scores),
  });
}
