import { describe, expect, it } from "vitest";
import { createAgentGraph } from "../../graphs/agent.ts";
import { graphDeps } from "../../graphs/default-deps.ts";
import { loadVariant, variantNames } from "../../graphs/variants/load-variant.ts";
import { createSource } from "../../retrieval/source.ts";
import { diligentPolicy } from "../support/diligent-policy.ts";
import { list, playing } from "../support/scripts.ts";
import { recording } from "../support/sessions.ts";

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
