import { MemorySaver } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { createAgentGraph } from "../../graphs/agent.ts";
import { graphDeps } from "../../graphs/default-deps.ts";
import { createMaintenanceGraph } from "../../graphs/maintenance.ts";
import { createSessionGraph } from "../../graphs/session.ts";
import { loadVariant } from "../../graphs/variants/load-variant.ts";
import { entriesOf } from "../../memory/bank.ts";
import type { SessionRecord } from "../../nodes/session/record.ts";
import type { ParsedCall } from "../../tools/call.ts";
import { diligentPolicy } from "../support/diligent-policy.ts";
import { add, list, playing, type ScriptedPolicy } from "../support/scripts.ts";

const thread = { configurable: { thread_id: "1" } };
const stopBeforeTools = { interruptBefore: ["executeTools"] };

interface NestedState {
  readonly next: readonly string[];
  readonly config: { configurable: Record<string, unknown> };
  readonly values: { calls: ParsedCall[] };
  readonly tasks: readonly { readonly name: string; readonly state?: NestedState }[];
}

/** The innermost state that waits at a breakpoint. */
function innermost(state: unknown): NestedState {
  const held = state as NestedState;
  const inner = held.tasks.find((task) => task.state)?.state;
  return inner ? innermost(inner) : held;
}

function setUp(policy: ScriptedPolicy) {
  const records: SessionRecord[] = [];
  const deps = graphDeps({ policy, record: (record) => records.push(record) });
  return { deps, records };
}

const twoChunks = () =>
  playing([
    { calls: [add("a", "1"), list()] },
    { text: "Core one." },
    { calls: [add("b", "2")] },
    { text: "Core two." },
  ]);

describe("a person stops before executeTools, changes a call and goes on", () => {
  it("in a session on its own", async () => {
    const policy = playing([{ calls: [add("a", "1")] }, { text: "Core." }]);
    const { deps, records } = setUp(policy);
    const graph = createSessionGraph(deps, { checkpointer: new MemorySaver(), ...stopBeforeTools });
    await graph.invoke({ focus: "chunk" }, thread);
    const stopped = await graph.getState(thread);
    expect(stopped.next).toEqual(["executeTools"]);
    const [call] = stopped.values.calls as ParsedCall[];
    await graph.updateState(thread, { calls: [{ ...call!, args: { title: "edited", content: "by hand" } }] });
    const done = await graph.invoke(null, thread);
    expect(done.outcome).toMatchObject({ end: "text", text: "Core." });
    expect(records[0]!.calls.map((ran) => ran.args)).toEqual([{ title: "edited", content: "by hand" }]);
  });

  it("inside phase I: the edited call is run, the history shows it, and nothing before it ran twice", async () => {
    const policy = twoChunks();
    const { deps, records } = setUp(policy);
    const graph = createMaintenanceGraph(deps, { checkpointer: new MemorySaver(), ...stopBeforeTools });
    await graph.invoke({ chunks: ["one", "two"] }, thread);
    expect(policy.requests).toHaveLength(1);
    expect(records).toEqual([]);

    const inner = innermost(await graph.getState(thread, { subgraphs: true }));
    expect(inner.next).toEqual(["executeTools"]);
    expect(inner.values.calls.map((call) => call.name)).toEqual(["memory_add", "memory_list"]);
    const [first, second] = inner.values.calls as [ParsedCall, ParsedCall];
    await graph.updateState(inner.config, { calls: [{ ...first, args: { title: "edited", content: "2" } }, second] });

    await graph.invoke(null, thread);
    // the first chunk is done, and the second one waits in its turn
    expect(records).toHaveLength(1);
    expect(policy.requests).toHaveLength(3);
    await graph.invoke(null, thread);
    expect(policy.requests).toHaveLength(4);

    const record = records[0]!;
    expect(record.calls.map((call) => call.args)).toEqual([{ title: "edited", content: "2" }, {}]);
    expect(record.calls[1]!.observation).toBe('{"titles":["edited"],"total":1}');
    const assistant = record.messages.filter((message) => message.role === "assistant");
    expect(assistant.map((message) => message.calls?.[0]?.args)).toEqual([
      { title: "edited", content: "2" },
      undefined,
    ]);
    // the policy was shown the edited call in the next turn, once
    const shown = policy.requests[1]!.messages.filter((message) => message.getType() === "ai");
    expect(shown).toHaveLength(1);
    expect((shown[0] as unknown as { tool_calls: { args: unknown }[] }).tool_calls[0]!.args).toEqual({
      title: "edited",
      content: "2",
    });

    const { memoryRef, core } = (await graph.getState(thread)).values;
    expect(core).toBe("Core two.");
    expect([...entriesOf(deps.live.bank(memoryRef))].map((entry) => entry.title)).toEqual(["edited", "b"]);
  });

  it("calls that nobody touched leave the sampled message as it was, also when it came back from a checkpoint", async () => {
    const policy = playing([{ calls: [add("a", "1")], asText: true }, { text: "Core." }]);
    const { deps, records } = setUp(policy);
    const graph = createSessionGraph(deps, { checkpointer: new MemorySaver(), ...stopBeforeTools });
    await graph.invoke({ focus: "chunk" }, thread);
    await graph.invoke(null, thread);
    expect(records[0]!.messages[2]).toEqual({
      role: "assistant",
      text: '<tool_call>{"name":"memory_add","arguments":{"title":"a","content":"1"}}</tool_call>',
    });
  });

  it("an unreadable call can be replaced by a good one, and calls can be taken away", async () => {
    const policy = playing([
      { calls: [{ name: "", args: null, error: "Not JSON." }] },
      { calls: [add("b", "1"), add("c", "1")] },
      { text: "Core." },
    ]);
    const { deps, records } = setUp(policy);
    const graph = createSessionGraph(deps, { checkpointer: new MemorySaver(), ...stopBeforeTools });
    await graph.invoke({ focus: "chunk" }, thread);
    const [unreadable] = (await graph.getState(thread)).values.calls as [ParsedCall];
    const mended = { ...unreadable, name: "memory_add", args: { title: "a", content: "1" }, error: null };
    await graph.updateState(thread, { calls: [mended] });
    await graph.invoke(null, thread);
    await graph.updateState(thread, { calls: [] });
    const done = await graph.invoke(null, thread);
    expect(records[0]!.calls.map((call) => [call.args?.title, call.verdict])).toEqual([["a", "valid"]]);
    expect(done.outcome).toMatchObject({ end: "text", text: "Core." });
    // the turn whose calls were taken away shows none
    expect(records[0]!.messages.map((message) => message.calls?.length ?? 0)).toEqual([0, 0, 1, 0, 0, 0]);
  });

  it("at run time, without compiling again, through the whole agent and its fan-out", async () => {
    const { deps, records } = setUp(diligentPolicy() as unknown as ScriptedPolicy);
    const variant = await loadVariant("uma");
    const graph = createAgentGraph(variant.phases(deps), { checkpointer: new MemorySaver() });
    const config = { configurable: { thread_id: "1", ...stopBeforeTools } };
    await graph.invoke({ chunks: ["one"], questions: ["q one?", "q two?"] }, config);
    const stops: string[] = [];
    for (let resumes = 0; resumes < 20; resumes++) {
      const state = await graph.getState(thread, { subgraphs: true });
      if (state.next.length === 0) break;
      stops.push(`${state.next.join()}: ${innermost(state).next.join()}`);
      await graph.invoke(null, config);
    }
    expect(stops).toEqual([
      "memorize: executeTools",
      "memorize: executeTools",
      "answer,answer: executeTools",
      "answer,answer: executeTools",
    ]);
    expect(records.map((record) => record.id).sort()).toEqual(["context/t0/m0", "context/t0/qq1", "context/t0/qq2"]);
    expect(Object.keys((await graph.getState(thread)).values.answers)).toEqual(["q1", "q2"]);
  });

  it("a breakpoint set on the agent when it is compiled reaches the sessions inside", async () => {
    const { deps } = setUp(twoChunks());
    const variant = await loadVariant("uma");
    const graph = createAgentGraph(variant.phases(deps), { checkpointer: new MemorySaver(), ...stopBeforeTools });
    await graph.invoke({ chunks: ["one"] }, thread);
    expect(innermost(await graph.getState(thread, { subgraphs: true })).next).toEqual(["executeTools"]);
  });

  it("the outermost graph's own nodes stop it too", async () => {
    const { deps } = setUp(twoChunks());
    const graph = createMaintenanceGraph(deps, { checkpointer: new MemorySaver(), interruptBefore: ["commitCore"] });
    await graph.invoke({ chunks: ["one", "two"] }, thread);
    const stopped = await graph.getState(thread);
    expect(stopped.next).toEqual(["commitCore"]);
    expect(stopped.values).toMatchObject({ core: "", cursor: 0, session: { text: "Core one." } });
    await graph.updateState(thread, { session: { ...stopped.values.session, text: "Core by hand." } });
    await graph.invoke(null, thread);
    expect((await graph.getState(thread)).values.core).toBe("Core by hand.");
  });
});

describe("time travel", () => {
  it("every earlier checkpoint finds the bank as it was then, and a fork from it goes its own way", async () => {
    const policy = playing((_request, turn) =>
      turn % 2 === 0 ? { calls: [add(`t${turn}`, "x")] } : { text: `Core ${turn}.` },
    );
    const { deps } = setUp(policy);
    const graph = createMaintenanceGraph(deps, { checkpointer: new MemorySaver() });
    await graph.invoke({ chunks: ["one", "two", "three"] }, thread);
    const titlesAt = (ref: string) => [...entriesOf(deps.live.bank(ref))].map((entry) => entry.title);

    const history = [];
    for await (const state of graph.getStateHistory(thread)) history.push(state);
    const seen = history.map((state) => [state.next[0] ?? "end", titlesAt(state.values.memoryRef ?? "")]);
    expect(seen.reverse()).toEqual([
      ["__start__", []],
      ["openStream", []],
      ["readChunk", []],
      ["commitCore", ["t0"]],
      ["readChunk", ["t0"]],
      ["commitCore", ["t0", "t2"]],
      ["readChunk", ["t0", "t2"]],
      ["commitCore", ["t0", "t2", "t4"]],
      ["end", ["t0", "t2", "t4"]],
    ]);

    const beforeSecond = history.find((state) => state.next[0] === "readChunk" && state.values.cursor === 1)!;
    const forked = await graph.invoke(null, beforeSecond.config);
    expect(titlesAt(forked.memoryRef)).toEqual(["t0", "t6", "t8"]);
  });
});
