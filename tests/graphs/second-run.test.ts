/** One thread, several streams: what Studio's user does all day. */
import { MemorySaver } from "@langchain/langgraph";
import { expect, it } from "vitest";
import { createAgentGraph } from "../../graphs/agent.ts";
import { graphDeps } from "../../graphs/default-deps.ts";
import { loadVariant } from "../../graphs/variants/load-variant.ts";
import { entriesOf } from "../../memory/bank.ts";
import { liveObjects } from "../../nodes/session/live-objects.ts";
import { createPolicy } from "../../policies/index.ts";

it("chunks given to a thread that has read others are read too, each once, beside the earlier ones", async () => {
  const live = liveObjects();
  const deps = graphDeps({ policy: await createPolicy({ policy: "extractive" }), live });
  const agent = createAgentGraph((await loadVariant("uma")).phases(deps), { checkpointer: new MemorySaver() });
  const thread = { configurable: { thread_id: "one" } };
  const day = (n: number) => `[2024-03-0${n} 09:00] Ada: On day ${n} I planted a birch in the garden.\n`;
  await agent.invoke({ chunks: [day(1), day(2)], questions: [] }, thread);
  await agent.invoke({ chunks: [day(3)], questions: [] }, thread);
  const state = await agent.invoke(
    { chunks: [day(4), day(5), day(6)], questions: ["What happened on day 4?"] },
    thread,
  );

  const touched = [...entriesOf(live.bank(state.memoryRef))].flatMap(({ lineage }) =>
    [lineage.origin, ...lineage.touches].map(({ chunk }) => chunk),
  );
  expect([...new Set(touched)].sort()).toEqual([0, 1, 2, 3, 4, 5]);
  expect(live.source(state.sourceRef)!.chunks).toEqual([1, 2, 3, 4, 5, 6].map(day));
  expect(state).toMatchObject({ cursor: 6, total: 6, chunks: [] });
});
