import { END, START, StateGraph, StateSchema } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createAnsweringGraph } from "../../graphs/answering.ts";
import { asNode } from "../../graphs/as-node.ts";
import { graphDeps } from "../../graphs/default-deps.ts";
import { createMaintenanceGraph } from "../../graphs/maintenance.ts";
import { createSessionGraph } from "../../graphs/session.ts";
import { diligentPolicy } from "../support/diligent-policy.ts";
import { list, playing } from "../support/scripts.ts";
import { recording } from "../support/sessions.ts";

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
