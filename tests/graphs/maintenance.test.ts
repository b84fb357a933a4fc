import { END, START, StateGraph, StateSchema } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createAgentGraph } from "../../graphs/agent.ts";
import { createAnsweringGraph } from "../../graphs/answering.ts";
import { asNode } from "../../graphs/as-node.ts";
import { graphDeps } from "../../graphs/default-deps.ts";
import { createMaintenanceGraph } from "../../graphs/maintenance.ts";
import { createSessionGraph } from "../../graphs/session.ts";
import { loadVariant, variantNames } from "../../graphs/variants/load-variant.ts";
import { bankSize } from "../../memory/bank.ts";
import { AgentInput } from "../../nodes/agent/state.ts";
import { AnsweringInput } from "../../nodes/answering/state.ts";
import { MaintenanceInput } from "../../nodes/maintenance/state.ts";
import type { SessionRecord } from "../../nodes/session/record.ts";
import { SessionInput, SessionState } from "../../nodes/session/state.ts";
import { createSource } from "../../retrieval/source.ts";
import { diligentPolicy } from "../support/diligent-policy.ts";
import { add, list, playing } from "../support/scripts.ts";

const recording = () => {
  const records: SessionRecord[] = [];
  return { records, record: (record: SessionRecord) => records.push(record) };
};

describe("phase I as a graph", () => {
  it("reads one chunk per session, each with the core that the one before it left", async () => {
    const { records, record } = recording();
    const policy = playing((_request, turn) =>
      turn % 2 ? { text: `Core ${turn}.` } : { calls: [add(`t${turn}`, "x")] },
    );
    const deps = graphDeps({ policy, record });
    const done = await createMaintenanceGraph(deps).invoke({ chunks: ["one", "two", "three"], core: "At first." });
    expect(done).toMatchObject({ core: "Core 5.", cursor: 3, total: 3, chunks: [], session: { end: "text" } });
    expect(bankSize(deps.live.bank(done.memoryRef))).toBe(3);
    expect(records.map((each) => [each.position, each.core?.before, each.core?.after])).toEqual([
      [0, "At first.", "Core 1."],
      [1, "Core 1.", "Core 3."],
      [2, "Core 3.", "Core 5."],
    ]);
  });

  it("a session that fails is skipped: its chunk leaves the memory as it was, and the stream goes on", async () => {
    const { records, record } = recording();
    const policy = diligentPolicy({ failOn: ({ messages }) => messages[1]!.text.includes("two") });
    const deps = graphDeps({ policy, record });
    const done = await createMaintenanceGraph(deps).invoke({ chunks: ["one", "two", "three"] });
    expect(records.map((each) => each.end)).toEqual(["text", "error", "text"]);
    expect(done.core).toBe("one three");
    expect(bankSize(deps.live.bank(done.memoryRef))).toBe(3);
  });

  it("nothing to read is an error that says so; a source that is live already can be named instead", async () => {
    const deps = graphDeps({ policy: diligentPolicy() });
    await expect(createMaintenanceGraph(deps).invoke({})).rejects.toThrow(
      "nothing to read: expected at least one chunk",
    );
    await expect(createMaintenanceGraph(deps).invoke({ sourceRef: "nope" })).rejects.toThrow(
      "not live in this process",
    );
    const sourceRef = deps.live.keepSource(createSource(["one", "two"]));
    expect((await createMaintenanceGraph(deps).invoke({ sourceRef })).cursor).toBe(2);
  });

  it("goes on from a memory and a chunk that the state names", async () => {
    const deps = graphDeps({ policy: diligentPolicy() });
    const graph = createMaintenanceGraph(deps);
    const { memoryRef, core, sourceRef } = await graph.invoke({ chunks: ["one", "two"] });
    const more = deps.live.keepSource(createSource(["one", "two", "three"]));
    const done = await graph.invoke({ sourceRef: more, memoryRef, core, cursor: 2 });
    expect(done).toMatchObject({ cursor: 3, core: "one two three" });
    expect(sourceRef).not.toBe(more);
  });

  it("60 chunks pass in one graph and inside another graph, far beyond LangGraph's 25 supersteps", async () => {
    const chunks = Array.from({ length: 60 }, (_, i) => `chunk ${i}`);
    const policy = () => playing(() => ({ text: "Core." }));
    const alone = await createMaintenanceGraph(graphDeps({ policy: policy() })).invoke({ chunks });
    expect(alone.cursor).toBe(60);

    const Mine = new StateSchema({ chunks: z.array(z.string()), core: z.string().default("") });
    const app = new StateGraph(Mine)
      .addNode("memorize", ...asNode(createMaintenanceGraph(graphDeps({ policy: policy() }))))
      .addEdge(START, "memorize")
      .addEdge("memorize", END)
      .compile();
    expect(await app.invoke({ chunks })).toEqual({ chunks: [], core: "Core." });
  });
});

describe("the whole agent as a graph", () => {
  it("answers are keyed by question: texts by their place, objects by their id", async () => {
    const variant = await loadVariant("uma");
    const graph = createAgentGraph(variant.phases(graphDeps({ policy: diligentPolicy() })));
    const { answers } = await graph.invoke({ chunks: ["one"], questions: ["a?", { id: "mine", text: "b?" }, "c?"] });
    expect(Object.keys(answers)).toEqual(["q1", "mine", "q3"]);
    for (const answer of Object.values(answers)) expect(answer).toMatchObject({ end: "text", error: null });
  });

  it("two questions of one name are an error, not a lost answer", async () => {
    const variant = await loadVariant("uma");
    const graph = createAgentGraph(variant.phases(graphDeps({ policy: diligentPolicy() })));
    await expect(graph.invoke({ chunks: ["one"], questions: ["a?", { id: "q1", text: "b?" }] })).rejects.toThrow(
      'two questions are named "q1"',
    );
  });

  it("without questions it only reads", async () => {
    const { records, record } = recording();
    const variant = await loadVariant("uma");
    const graph = createAgentGraph(variant.phases(graphDeps({ policy: diligentPolicy(), record })));
    expect((await graph.invoke({ chunks: ["one"] })).answers).toEqual({});
    expect(records).toHaveLength(1);
  });

  it.each(variantNames())("%s: an answer that fails stops none of the others, and keeps its reason", async (name) => {
    const variant = await loadVariant(name);
    const policy = diligentPolicy({ failOn: ({ messages }) => messages[1]!.text.includes("cursed") });
    const graph = createAgentGraph(variant.phases(graphDeps({ policy })));
    const { answers } = await graph.invoke({ chunks: ["one"], questions: ["fine?", "cursed?", "fine too?"] });
    expect(answers.q2).toEqual({ answer: null, end: "error", error: "the server is down" });
    expect([answers.q1?.end, answers.q3?.end]).toEqual(["text", "text"]);
  });

  it("a search that breaks before the session starts is an answer's error too, in graph and loop alike", async () => {
    const { records, record } = recording();
    const openSource = (chunks: readonly string[]) => ({
      ...createSource(chunks),
      rrf: async () => Promise.reject(new Error("no embeddings today")),
    });
    const variant = await loadVariant("rag");
    const graph = createAgentGraph(variant.phases(graphDeps({ policy: diligentPolicy(), record, openSource })));
    const { answers } = await graph.invoke({ chunks: ["one"], questions: ["a?"] });
    expect(answers.q1).toEqual({ answer: null, end: "error", error: "no embeddings today" });
    expect(records[0]).toMatchObject({ end: "error", error: { boundary: "tool" }, question: "q1", turns: 0 });
  });

  it("twenty questions at once give no warning of leaking listeners", async () => {
    const warnings: string[] = [];
    const listen = (warning: Error) => warnings.push(warning.name);
    process.on("warning", listen);
    try {
      const variant = await loadVariant("uma");
      const policy = playing((request) => (request.messages.length === 2 ? { calls: [list()] } : { text: "x" }));
      const graph = createAgentGraph(variant.phases(graphDeps({ policy })));
      const { answers } = await graph.invoke(
        { chunks: ["one"], questions: Array.from({ length: 20 }, (_, i) => `q ${i}?`) },
        { signal: new AbortController().signal },
      );
      expect(Object.keys(answers)).toHaveLength(20);
      await new Promise((resolve) => setImmediate(resolve));
      expect(warnings).not.toContain("MaxListenersExceededWarning");
    } finally {
      process.off("warning", listen);
    }
  });
});

describe("a graph of ours as a node of someone else's", () => {
  const Mine = new StateSchema({
    chunks: z.array(z.string()).default(() => []),
    question: z.string().default(""),
    core: z.string().default(""),
    memoryRef: z.string().default(""),
    sourceRef: z.string().default(""),
    answer: z.string().nullable().default(null),
    mine: z.string().default("untouched"),
  });

  it("shares the keys that both states have, and a question sees every chunk", async () => {
    const { records, record } = recording();
    const deps = graphDeps({ policy: diligentPolicy(), record });
    const app = new StateGraph(Mine)
      .addNode("memorize", ...asNode(createMaintenanceGraph(deps)))
      .addNode("answerFromMemory", ...asNode(createAnsweringGraph(deps)))
      .addEdge(START, "memorize")
      .addEdge("memorize", "answerFromMemory")
      .addEdge("answerFromMemory", END)
      .compile();
    const done = await app.invoke({
      chunks: ["Ada left.", "Ben came.", "The picnic is on Sunday."],
      question: "When is the picnic?",
    });
    expect(done.mine).toBe("untouched");
    expect(done.answer).toContain("Sunday");
    expect(records.at(-1)).toMatchObject({ stage: "qa", position: 2 });
    expect(JSON.stringify(records.at(-1)!.calls[1]!.reads)).toContain("c2.0");
  });

  it("maps state by functions, and carries its own recursion limit", async () => {
    const deps = graphDeps({
      policy: playing(() => ({ calls: [list()] })),
      limits: { promptTokens: 8_192, interactionTokens: 100_000, maxTurns: 30, maxCalls: 4, maxObservation: 512 },
    });
    const node = asNode<{ question: string }, { outcome: { end: string } | null }>(createSessionGraph(deps), {
      input: ({ question }) => ({ stage: "qa", focus: question }),
      output: ({ outcome }) => ({ answer: outcome?.end ?? null }),
    });
    const app = new StateGraph(Mine)
      .addNode("ask", ...node)
      .addEdge(START, "ask")
      .addEdge("ask", END)
      .compile();
    // 62 supersteps inside, under a limit of 3 outside
    expect((await app.invoke({ question: "Who?" }, { recursionLimit: 3 })).answer).toBe("turns");
  });
});

describe("the forms that Studio makes", () => {
  it.each(Object.entries({ SessionInput, MaintenanceInput, AnsweringInput, AgentInput }))(
    "%s: every field says what it is and has a default",
    (_name, input) => {
      const { properties } = input.getInputJsonSchema() as { properties: Record<string, { description?: string }> };
      for (const [field, { description = "" }] of Object.entries(properties))
        expect([field, description]).toEqual([field, expect.stringMatching(/\w+/)]);
      expect((input.getJsonSchema() as { required?: string[] }).required).toBeUndefined();
    },
  );

  it("ask for what a graph is given and for nothing else", () => {
    const fields = (input: typeof AgentInput | typeof SessionInput) => Object.keys(input.fields);
    expect(fields(AgentInput)).toEqual(["chunks", "core", "memoryRef", "sourceRef", "cursor", "identity", "questions"]);
    expect(fields(SessionInput).some((field) => ["messages", "calls", "log", "outcome"].includes(field))).toBe(false);
  });

  it("the calls that wait at a breakpoint say that they can be edited", () => {
    const { properties } = SessionState.getJsonSchema() as { properties: Record<string, { description?: string }> };
    expect(properties.calls?.description).toContain("edit them at a breakpoint");
    for (const [field, { description = "" }] of Object.entries(properties))
      expect([field, description]).toEqual([field, expect.stringMatching(/\w+/)]);
  });
});
