import { END, MemorySaver, type Send, START, StateGraph } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { graphDeps } from "../../../graphs/default-deps.ts";
import { loadVariant } from "../../../graphs/variants/load-variant.ts";
import type { Variant } from "../../../graphs/variants/variant.ts";
import { MaintenanceState } from "../../../nodes/maintenance/state.ts";
import type { Policy } from "../../../policies/policy.ts";
import { sendQuestions } from "../../../rollouts/graph/ask-questions.ts";
import { createRolloutGraph } from "../../../rollouts/graph/rollout.ts";
import { type Rollout, RolloutInput } from "../../../rollouts/graph/state.ts";
import { diligentPolicy } from "../../support/diligent-policy.ts";
import { add, playing } from "../../support/scripts.ts";
import { normalised, rolloutGraph, sampled, smallContext, throughGraph } from "./both-ways.ts";

const brief = () =>
  playing((request) =>
    request.messages.length === 2 && request.tools.length > 0 ? { calls: [add("a", "b")] } : { text: "Said." },
  );

/** `variant` with a phase I that throws in trajectory `bad`, once chunk `from` is to be read. */
const breaking = (variant: Variant, bad: number, from: number): Variant => ({
  ...variant,
  phases(deps) {
    const { memorize, answer } = variant.phases(deps);
    const graph = new StateGraph(MaintenanceState)
      .addNode("mayBreak", (state) => {
        if (state.identity.trajectory === bad && state.cursor >= from) throw new Error("the disk is on fire");
        return {};
      })
      .addNode("goOn", async (state, config) => memorize.invoke(state, { ...config, recursionLimit: 100 }))
      .addEdge(START, "mayBreak")
      .addEdge("mayBreak", "goOn")
      .addEdge("goOn", END);
    return { memorize: graph.compile(), answer };
  },
});

describe("a branch that fails is data, and its siblings go on", () => {
  it("a session that fails leaves its row with the reason, and no counts", async () => {
    const policy = () => diligentPolicy({ failOn: ({ messages }) => messages[1]!.text.includes("picnic?") });
    const { state, records } = await throughGraph(smallContext, { policy: policy() });
    expect(records).toEqual(await sampled(smallContext, { policy: policy() }));
    for (const i of ["t0", "t1"]) {
      const { when, ...others } = state.answers[i]!;
      const id = `small/${i}/qwhen`;
      expect(when).toEqual({ id, end: "error", valid: null, total: null, error: "the server is down", answer: null });
      for (const row of Object.values(others)) expect(row).toMatchObject({ end: "text", error: null });
    }
  });

  it("a trajectory that breaks off keeps what it has: earlier memories are asked, later ones say why not", async () => {
    const variant = breaking(await loadVariant("uma"), 1, 2);
    const graph = createRolloutGraph(variant, graphDeps({ policy: diligentPolicy() }));
    const { chunks, questions } = smallContext;
    const state = await graph.invoke({ chunks: [...chunks], questions: [...questions], G: 3, seed: 3 });
    expect(Object.entries(state.trajectories).map(([i, { error, sessions }]) => [i, error, sessions.length])).toEqual([
      ["t0", null, 4],
      ["t1", "the disk is on fire", 2],
      ["t2", null, 4],
    ]);
    const endOf = (i: string) =>
      Object.fromEntries(Object.entries(state.answers[i]!).map(([q, row]) => [q, row.error]));
    const lost = "there is no memory after chunk 3: the disk is on fire";
    expect(endOf("t1")).toEqual({ who: lost, early: null, secret: lost, first: null, when: lost });
    for (const i of ["t0", "t2"])
      expect(endOf(i)).toEqual({ who: null, early: null, secret: null, first: null, when: null });
  });
});

describe("what the graph is given", () => {
  it.each([
    ["G = 0", { G: 0 }, "expected G, the trajectories, to be 1 to 500, got 0"],
    ["M = 0", { M: 0 }, "expected M, the questions to draw, to be at least 1"],
    ["more questions than there are", { M: 2 }, "M = 2 questions per context, but context has 1"],
    ["two questions of one name", { questions: ["a?", { id: "q1", text: "b?" }] }, 'two questions are named "q1"'],
    ["a question after the end", { questions: [{ id: "x", text: "?", position: 1 }] }, "chunks are 0 to 0"],
    ["no chunks", { chunks: [] }, "expected at least one chunk"],
  ])("%s is refused with a reason", async (_name, wrong, reason) => {
    const graph = createRolloutGraph(await loadVariant("concat"), graphDeps({ policy: brief() }));
    await expect(graph.invoke({ chunks: ["one"], questions: ["a?"], ...wrong })).rejects.toThrow(reason);
  });

  it("a question without a position, or with an empty one, is asked at the end", async () => {
    const questions = ["a?", { id: "b", text: "b?" }, { id: "c", text: "c?", position: null }];
    const graph = createRolloutGraph(await loadVariant("concat"), graphDeps({ policy: brief() }));
    const { drawn } = await graph.invoke({ chunks: ["one", "two"], questions, G: 1 });
    expect(drawn.map(({ id, position }) => [id, position])).toEqual([
      ["q1", 1],
      ["b", 1],
      ["c", 1],
    ]);
  });

  it("is a form: every field says what it is and has a default", () => {
    const { properties } = RolloutInput.getInputJsonSchema() as {
      properties: Record<string, { description?: string }>;
    };
    expect(Object.keys(properties)).toEqual(["chunks", "questions", "G", "M", "seed", "identity"]);
    for (const { description = "" } of Object.values(properties)) expect(description).toMatch(/\w+/);
    expect((RolloutInput.getJsonSchema() as { required?: string[] }).required).toBeUndefined();
  });

  it("without questions it only builds memories", async () => {
    const { state } = await throughGraph({ ...smallContext, questions: [] }, { policy: brief(), G: 2 });
    expect(state.answers).toEqual({});
    expect(Object.values(state.trajectories).map(({ sessions }) => sessions.length)).toEqual([4, 4]);
  });
});

describe("many branches", () => {
  it("as many sessions at once as are allowed, and no warning of leaking listeners", async () => {
    const warnings: string[] = [];
    const listen = (warning: Error) => warnings.push(warning.name);
    process.on("warning", listen);
    try {
      const inner = brief();
      let running = 0;
      let most = 0;
      const policy: Policy = {
        ...inner,
        async sample(request) {
          most = Math.max(most, ++running);
          await new Promise((resolve) => setTimeout(resolve, 2));
          running--;
          return inner.sample(request);
        },
      };
      const context = {
        id: "wide",
        chunks: ["one"],
        questions: Array.from({ length: 2 }, (_, j) => ({ id: `q${j}`, text: `${j}?`, position: 0 })),
      };
      const mostOf = async (G: number, options: { concurrency?: number }, config: { maxConcurrency?: number } = {}) => {
        most = 0;
        const { signal } = new AbortController();
        const { state } = await throughGraph(context, { policy, G }, options, { signal, ...config });
        expect(Object.values(state.answers).flatMap((rows) => Object.values(rows))).toHaveLength(2 * G);
        return most;
      };
      expect(await mostOf(12, {})).toBe(8);
      expect(await mostOf(4, { concurrency: 3 })).toBe(3);
      expect(await mostOf(6, { concurrency: 3 }, { maxConcurrency: 5 })).toBe(5);
      await new Promise((resolve) => setImmediate(resolve));
      expect(warnings).not.toContain("MaxListenersExceededWarning");
    } finally {
      process.off("warning", listen);
    }
  });

  it("are sent out 500 at a time, each question once", () => {
    const memory = { position: 0, core: "", memoryRef: "", parent: null };
    const drawn = Array.from({ length: 300 }, (_, j) => ({ id: `q${j}`, text: "?", position: 0 }));
    const trajectory = { memories: [memory], sessions: [], error: null };
    let state = {
      ...{ G: 4, seed: 0, sourceRef: "", identity: { run: "r", context: "c" }, drawn, answers: {} },
      trajectories: { t0: trajectory, t1: trajectory, t2: trajectory, t3: trajectory },
    } as unknown as Rollout;
    const widths: number[] = [];
    const seen = new Set<string>();
    for (;;) {
      const sends = sendQuestions(state);
      if (sends === END) break;
      widths.push(sends.length);
      const answers = structuredClone(state.answers);
      for (const { args } of sends as Send[]) {
        const { identity } = args as { identity: { trajectory: number; question: string } };
        const name = `t${identity.trajectory}`;
        seen.add(`${name}/${identity.question}`);
        answers[name] = { ...answers[name], [identity.question]: {} as Rollout["answers"][string][string] };
      }
      state = { ...state, answers };
    }
    expect(widths).toEqual([500, 500, 200]);
    expect(seen.size).toBe(1_200);
  });
});

describe("threads", () => {
  it("sample again: a second run starts with an empty table, over the context that the thread has read", async () => {
    const { graph, input, records } = await rolloutGraph(
      smallContext,
      { policy: diligentPolicy() },
      { checkpointer: new MemorySaver() },
    );
    const thread = { configurable: { thread_id: "one" } };
    await graph.invoke({ ...input, G: 3, questions: ["Who?"] }, thread);
    records.length = 0;
    const again = await graph.invoke({ ...input, chunks: [], G: 2 }, thread);
    expect(Object.keys(again.answers)).toEqual(["t0", "t1"]);
    expect(Object.keys(again.trajectories)).toEqual(["t0", "t1"]);
    expect(Object.keys(again.answers.t0!).sort()).toEqual(smallContext.questions.map(({ id }) => id).sort());
    expect(normalised(records)).toEqual(await sampled(smallContext, { policy: diligentPolicy() }));
  });

  it("two at once with sessions of the same names keep their rows apart", async () => {
    const policy = diligentPolicy({ failOn: ({ messages }) => /cursed/.test(messages[1]!.text) });
    const { graph } = await rolloutGraph(smallContext, { policy }, { checkpointer: new MemorySaver() });
    const run = (chunk: string, thread_id: string) =>
      graph.invoke({ chunks: [chunk, "two"], questions: ["a?"], G: 2 }, { configurable: { thread_id } });
    const [fine, cursed] = await Promise.all([run("fine", "1"), run("cursed", "2")]);
    const ends = (state: Rollout) =>
      Object.values(state.trajectories).map(({ sessions }) => sessions.map(({ end }) => end));
    expect(ends(fine as Rollout)).toEqual([
      ["text", "text"],
      ["text", "text"],
    ]);
    expect(ends(cursed as Rollout)).toEqual([
      ["error", "text"],
      ["error", "text"],
    ]);
  });

  it("keep neither the stream nor a bank in the state", async () => {
    const { state, live } = await throughGraph(smallContext, { policy: diligentPolicy() });
    const text = JSON.stringify({ ...state, questions: [], drawn: [], answers: {} });
    for (const chunk of smallContext.chunks) expect(text).not.toContain(chunk);
    expect(text.length).toBeLessThan(4_000);
    for (const { memories } of Object.values(state.trajectories)) {
      expect(memories.map(({ position }) => position)).toEqual([0, 1, 3]);
      expect(memories.map(({ memoryRef }) => live.bank(memoryRef).size)).toEqual([2, 3, 5]);
      expect(memories.map(({ parent }) => parent?.replace(/t\d/, "t"))).toEqual([
        "small/t/m0",
        "small/t/m1",
        "small/t/m3",
      ]);
    }
  });

  it("an aborted run rejects, and none of it is taken for a result", async () => {
    const stop = new AbortController();
    const policy = playing(() => {
      stop.abort(new Error("enough"));
      return { text: "Said." };
    });
    await expect(throughGraph(smallContext, { policy }, {}, { signal: stop.signal })).rejects.toThrow();
    expect(policy.requests.length).toBeLessThanOrEqual(2);
  });
});
