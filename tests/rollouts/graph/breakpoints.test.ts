/** Stepping through a rollout: stop inside a trajectory's session, change a call, go on; the other trajectory is as sampled. */
import { MemorySaver } from "@langchain/langgraph";
import { expect, it } from "vitest";
import { entriesOf } from "../../../memory/bank.ts";
import type { Rollout } from "../../../rollouts/graph/state.ts";
import type { ParsedCall } from "../../../tools/call.ts";
import { diligentPolicy } from "../../support/diligent-policy.ts";
import { normalised, rolloutGraph, sampled, smallContext } from "./both-ways.ts";

interface Held {
  readonly next: readonly string[];
  readonly config: { configurable: Record<string, unknown> };
  readonly values: { calls?: ParsedCall[]; identity?: { trajectory: number } };
  readonly tasks: readonly { readonly state?: Held }[];
}

/** Every session that waits before its tools. */
const waiting = (state: Held): Held[] => [
  ...(state.next.includes("executeTools") ? [state] : []),
  ...state.tasks.flatMap((task) => (task.state ? waiting(task.state) : [])),
];

const thread = { configurable: { thread_id: "one" } };
const stepping = { configurable: { ...thread.configurable, interruptBefore: ["executeTools"] } };

it("a call that a person changed in t0 changes t0 alone, and nothing runs twice", async () => {
  const policy = diligentPolicy();
  const { graph, input, records, live } = await rolloutGraph(
    smallContext,
    { policy },
    { checkpointer: new MemorySaver() },
  );
  await graph.invoke(input, stepping);
  const held = async () => waiting((await graph.getState(thread, { subgraphs: true })) as unknown as Held);
  const byTrajectory = (sessions: Held[]) => sessions.map(({ values }) => values.identity?.trajectory).sort();
  expect(byTrajectory(await held())).toEqual([0, 1]);
  // the first turn only looks, the second one writes
  await graph.invoke(null, stepping);
  const sessions = await held();
  expect(byTrajectory(sessions)).toEqual([0, 1]);
  const { config, values } = sessions.find(({ values: { identity } }) => identity?.trajectory === 0)!;
  const [counting, keeping] = values.calls!;
  const edited = { ...keeping!, args: { ...keeping!.args, title: "edited by a person" } };
  await graph.updateState(config, { calls: [counting!, edited] });
  const state = (await graph.invoke(null, {
    configurable: { ...thread.configurable, interruptBefore: [] },
  })) as Rollout;

  const titles = (i: string) =>
    [...entriesOf(live.bank(state.trajectories[i]!.memories.at(-1)!.memoryRef))].map(({ title }) => title);
  expect(titles("t0")).toEqual(["count", "edited by a person", "chunk 1", "chunk 2", "chunk 3"]);
  expect(titles("t1")).toEqual(["count", "chunk 0", "chunk 1", "chunk 2", "chunk 3"]);
  const expected = await sampled(smallContext, { policy: diligentPolicy() });
  const of = (i: number, list: typeof records) => normalised(list.filter(({ trajectory }) => trajectory === i));
  expect(of(1, records)).toEqual(of(1, expected));
  expect(of(0, records)).not.toEqual(of(0, expected));
  expect(records).toHaveLength(expected.length);
  expect(policy.count()).toBe(expected.reduce((sum, { turns }) => sum + turns, 0));
  expect(Object.values(state.trajectories).map(({ sessions }) => sessions.length)).toEqual([4, 4]);
});

it("stepping to the end through every session gives the records of a run without a stop", async () => {
  const context = {
    ...smallContext,
    chunks: smallContext.chunks.slice(0, 1),
    questions: smallContext.questions.slice(3, 4),
  };
  const { graph, input, records } = await rolloutGraph(
    context,
    { policy: diligentPolicy() },
    { checkpointer: new MemorySaver() },
  );
  await graph.invoke(input, stepping);
  const stops: string[] = [];
  for (let steps = 0; steps < 20; steps++) {
    const { next } = await graph.getState(thread);
    if (next.length === 0) break;
    stops.push(next.join());
    await graph.invoke(null, stepping);
  }
  expect(stops).toEqual(["trajectory,trajectory", "trajectory,trajectory", "answer,answer", "answer,answer"]);
  expect(normalised(records)).toEqual(await sampled(context, { policy: diligentPolicy() }));
});

it("more trajectories than may run at once all stop, go on and end", async () => {
  const context = { ...smallContext, chunks: smallContext.chunks.slice(0, 1), questions: [] };
  const rolled = { policy: diligentPolicy(), G: 7 };
  const { graph, input, records } = await rolloutGraph(context, rolled, {
    checkpointer: new MemorySaver(),
    concurrency: 3,
  });
  await graph.invoke(input, stepping);
  const held = waiting((await graph.getState(thread, { subgraphs: true })) as unknown as Held);
  expect(held.map(({ values }) => values.identity?.trajectory).sort()).toEqual([0, 1, 2, 3, 4, 5, 6]);
  await graph.invoke(null, { configurable: { ...thread.configurable, interruptBefore: [] } });
  expect(normalised(records)).toEqual(await sampled(context, { ...rolled, policy: diligentPolicy() }));
});

it("a thread that outlives its process ends with rows that say so, not with memories of something else", async () => {
  const saver = { checkpointer: new MemorySaver() };
  const before = await rolloutGraph(smallContext, { policy: diligentPolicy() }, saver);
  await before.graph.invoke(before.input, stepping);
  const after = await rolloutGraph(smallContext, { policy: diligentPolicy() }, saver);
  const going = { configurable: { ...thread.configurable, interruptBefore: [] } };
  const state = (await after.graph.invoke(null, going)) as Rollout;
  for (const { error, memories } of Object.values(state.trajectories)) {
    expect(error).toContain("is not live in this process");
    expect(memories).toEqual([]);
  }
  const rows = Object.values(state.answers).flatMap((answers) => Object.values(answers));
  expect(rows).toHaveLength(2 * smallContext.questions.length);
  for (const { answer, error } of rows)
    expect([answer, error]).toEqual([null, expect.stringMatching(/no memory after chunk \d/)]);
});
