/** The graph for people and `sampleRollouts` for runs are the same method: one seed, the same records. */
import { MemorySaver } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { loadBenchmark } from "../../../evals/benchmarks/index.ts";
import { createPolicy } from "../../../policies/index.ts";
import type { RolloutContext } from "../../../rollouts/rollout-context.ts";
import { toolsets } from "../../../tools/toolsets.ts";
import { rewardOptions } from "../../../trainers/rewards/reward-options.ts";
import { callCounts, isCutShort } from "../../../trainers/rewards/tool-validity.ts";
import { diligentPolicy } from "../../support/diligent-policy.ts";
import { sampled, smallContext, throughGraph } from "./both-ways.ts";

async function ledgerContext(): Promise<RolloutContext> {
  const benchmark = await loadBenchmark("ledger-qa");
  for await (const context of benchmark.load(benchmark.config.parse({ horizon: [3], contexts: 1, seed: 3 })))
    return context;
  throw new Error("no context was generated");
}

const saving = () => ({
  options: { checkpointer: new MemorySaver() },
  config: { configurable: { thread_id: "one" } },
});

describe.each(["uma", "uma:withoutPhaseOne", "rag", "concat"])("%s: the rollout graph", (variant) => {
  it.each([
    ["all questions, without checkpoints", 3, null, false],
    ["all questions, with a checkpointer", 2, null, true],
    ["two drawn questions", 2, 2, false],
  ] as const)("gives the records of sampleRollouts: %s", async (_name, G, M, withSaver) => {
    const rolled = () => ({ policy: diligentPolicy(), variant, G, M });
    const { options, config } = withSaver ? saving() : { options: {}, config: {} };
    const { state, records } = await throughGraph(smallContext, rolled(), options, config);
    expect(records).toEqual(await sampled(smallContext, rolled()));
    expect(records.length).toBe(G * ((variant === "uma" ? 4 : 0) + (M ?? 5)));
    expect(Object.keys(state.answers)).toEqual(Array.from({ length: G }, (_, i) => `t${i}`));
  });
});

it("draws the questions that sampleRollouts draws, for any seed", async () => {
  const asked = new Set<string>();
  for (const seed of [1, 2, 3, 4]) {
    const rolled = () => ({ policy: diligentPolicy(), variant: "concat", G: 1, M: 2, seed });
    const { state } = await throughGraph(smallContext, rolled());
    const records = await sampled(smallContext, rolled());
    const ids = records.flatMap(({ question }) => question ?? []);
    expect(state.drawn.map(({ id }) => id).sort()).toEqual(ids.sort());
    for (const id of ids) asked.add(id);
  }
  expect(asked.size).toBeGreaterThan(2);
});

describe("with a policy that makes mistakes", () => {
  it("trajectories differ, the records are those of sampleRollouts, and the table says what the records say", async () => {
    const context = await ledgerContext();
    const policy = await createPolicy({ policy: "ledger-expert", noise: 0.3 });
    const rolled = { policy, toolset: toolsets.ledger, G: 4, M: 6 };
    const saver = saving();
    const { state, records } = await throughGraph(context, rolled, saver.options, saver.config);
    expect(records).toEqual(await sampled(context, rolled));

    const options = rewardOptions({ outcome: "decimal-exact" });
    const expected = (record: (typeof records)[number]) => {
      const { valid, total } = isCutShort(record) ? { valid: null, total: null } : callCounts(record, options);
      return { id: record.id, end: record.end, valid, total, error: record.error?.message ?? null };
    };
    const memory = records.filter(({ stage }) => stage === "memory");
    expect(Object.values(state.trajectories).flatMap(({ sessions }) => sessions)).toEqual(memory.map(expected));
    const rows = Object.values(state.answers).flatMap((answers) => Object.values(answers));
    expect(rows.sort((one, other) => (one.id < other.id ? -1 : 1))).toEqual(
      records.filter(({ stage }) => stage === "qa").map((record) => ({ ...expected(record), answer: record.answer })),
    );
    // the mistakes are there to be seen
    expect(memory.some((record) => expected(record).valid !== expected(record).total)).toBe(true);
    expect(
      new Set(Object.values(state.answers).map((answers) => JSON.stringify(answers).replace(/t\d/g, ""))).size,
    ).toBe(4);
  });
});
