/** One rollout both ways: through `sampleRollouts` and through the graph, with all that left each of them. */
import type { RunnableConfig } from "@langchain/core/runnables";
import { graphDeps } from "../../../graphs/default-deps.ts";
import type { GraphDeps } from "../../../graphs/graph-deps.ts";
import { loadVariant } from "../../../graphs/variants/load-variant.ts";
import { type SessionRecord, withoutTimes } from "../../../nodes/session/record.ts";
import type { Policy } from "../../../policies/policy.ts";
import { createRolloutGraph, type RolloutGraphOptions } from "../../../rollouts/graph/rollout.ts";
import type { Rollout } from "../../../rollouts/graph/state.ts";
import type { RolloutContext } from "../../../rollouts/rollout-context.ts";
import { sampleRollouts } from "../../../rollouts/sample-rollouts.ts";

export interface Rolled extends Partial<Omit<GraphDeps, "policy">> {
  readonly policy: Policy;
  readonly variant?: string;
  readonly G?: number;
  readonly M?: number | null;
  readonly seed?: number;
}

/** Without times, and in an order that does not depend on what ended first. */
export const normalised = (records: readonly SessionRecord[]) =>
  records.map(withoutTimes).sort((one, other) => (one.id < other.id ? -1 : 1));

export async function sampled(
  context: RolloutContext,
  { variant = "uma", G = 2, M = null, seed = 3, ...deps }: Rolled,
) {
  const records: SessionRecord[] = [];
  const { policy, toolset, openSource } = deps;
  const options = { policy, variant, G, M, seed, ...(toolset && { toolset }), ...(openSource && { openSource }) };
  for await (const record of sampleRollouts([context], options)) records.push(record);
  return normalised(records);
}

/** The graph and its input; `records` fills up as it runs. */
export async function rolloutGraph(
  { id, chunks, questions }: RolloutContext,
  rolled: Rolled,
  options: RolloutGraphOptions = {},
) {
  const { variant = "uma", G = 2, M = null, seed = 3, ...given } = rolled;
  const records: SessionRecord[] = [];
  const deps = graphDeps({ ...given, record: (record) => records.push(record) });
  const graph = createRolloutGraph(await loadVariant(variant), deps, options);
  const input = {
    chunks: [...chunks],
    questions: [...questions],
    G,
    M,
    seed,
    identity: { run: "rollout", context: id },
  };
  return { graph, input, records, live: deps.live };
}

export async function throughGraph(
  context: RolloutContext,
  rolled: Rolled,
  options: RolloutGraphOptions = {},
  config: RunnableConfig = {},
) {
  const { graph, input, records, live } = await rolloutGraph(context, rolled, options);
  const state = (await graph.invoke(input, config)) as Rollout;
  return { state, records: normalised(records), live };
}

const last = 3;
/** Four chunks, five questions, two of them asked in mid-stream. */
export const smallContext: RolloutContext = {
  id: "small",
  chunks: [
    "Ada moved to Lisbon in March. The secret word is not told yet.",
    "Mara works at the observatory. Nobody knows the secret word.",
    "Ben whispers: the secret word is ZEBRA-4711.",
    "The picnic is on Sunday.",
  ],
  questions: [
    { id: "who", text: "Who moved to Lisbon?", position: last },
    { id: "early", text: "What is the secret word?", position: 1 },
    { id: "secret", text: "What is the secret word?", position: last },
    { id: "first", text: "Where did Ada move?", position: 0 },
    { id: "when", text: "When is the picnic?", position: last },
  ],
};
