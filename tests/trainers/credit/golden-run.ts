/** Run folders with several trajectories, made of records whose rewards were worked out by hand (algorithms A.21.1). */
import type { SampledContext } from "../../../trainers/rewards/session-grid.ts";
import { inventRun } from "../../evals/reports/invented-run.ts";
import { published, sampledFrom } from "../rewards/sampled.ts";

/** G = 3, N = 2, M = 2 in each context; the outcome is the metric "exact". */
export const goldenContexts: readonly SampledContext[] = [sampledFrom(published), sampledFrom(published, "d")];

/** G, N and M are those of the first context. */
export function writeSampledRun(
  parent: string,
  name: string,
  sampled: readonly SampledContext[] = goldenContexts,
): string {
  const [first] = sampled;
  const distinct = (values: readonly number[] = []) => Math.max(1, new Set(values).size);
  const memory = first?.records.filter(({ stage }) => stage === "memory");
  const chunks = Array.from({ length: distinct(memory?.map(({ position }) => position)) }, (_, k) => `chunk ${k}`);
  return inventRun(parent, name, {
    config: {
      rollout: {
        G: distinct(first?.records.map(({ trajectory }) => trajectory)),
        M: first?.context.questions.length ?? null,
      },
    },
    contexts: sampled.map(({ context: { id, questions } }) => ({ id, questions, chunks, facets: {} })),
    records: sampled.flatMap(({ records }) => records),
    scores: sampled.flatMap(({ scores }) => scores),
  });
}
