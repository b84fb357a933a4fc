import { END, START, StateGraph, StateSchema } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { asNode } from "../../graphs/as-node.ts";
import { graphDeps } from "../../graphs/default-deps.ts";
import { createMaintenanceGraph } from "../../graphs/maintenance.ts";
import { bankSize } from "../../memory/bank.ts";
import { createSource } from "../../retrieval/source.ts";
import { diligentPolicy } from "../support/diligent-policy.ts";
import { add, playing } from "../support/scripts.ts";
import { recording } from "../support/sessions.ts";

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
