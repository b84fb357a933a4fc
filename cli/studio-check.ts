/** What Studio does in a browser, done through the API: list, draw, stream with subgraphs, stop before the tools, edit, go on. */
import { Client, type ThreadState } from "@langchain/langgraph-sdk";
import type { ParsedCall } from "../tools/call.ts";
import { listedGraphs } from "./graph-files.ts";
import { checkRollout } from "./studio-check-rollout.ts";
import {
  askBank,
  type CheckStep,
  chunks,
  editTitle,
  expect,
  stepsInto,
  type WaitingState,
  waitingSessions,
} from "./studio-check-steps.ts";
import { checkTrainer } from "./studio-check-trainer.ts";

export async function checkStudio(url: string, note: (text: string) => void): Promise<CheckStep[]> {
  const client = new Client({ apiUrl: url, apiKey: null });
  const steps: CheckStep[] = [];
  const step = stepsInto(steps, note);

  await step("graphs are listed", async () => {
    const found = (await client.assistants.search({ limit: 100 })).map((assistant) => assistant.graph_id).sort();
    const expected = Object.keys(listedGraphs()).sort();
    expect(found.join() === expected.join(), `expected ${expected.join(", ")}, got ${found.join(", ")}`);
    return found.join(", ");
  });

  await step("the input form comes from the state schema", async () => {
    const fieldsOf = async (graphId: string) => {
      const { input_schema } = await client.assistants.getSchemas(await assistantOf(client, graphId));
      return Object.keys(input_schema?.properties ?? {});
    };
    const forms = {
      agent: await fieldsOf("agent"),
      rollout: await fieldsOf("rollout"),
      trainer: await fieldsOf("trainer"),
    };
    for (const [graphId, wanted] of Object.entries({
      agent: ["chunks", "questions"],
      rollout: ["chunks", "questions", "G", "M", "seed"],
      trainer: ["recipe", "scale", "seed", "changes", "folder", "learner"],
    } as const)) {
      const fields = forms[graphId as keyof typeof forms];
      const lacks = wanted.filter((field) => !fields.includes(field));
      expect(lacks.length === 0, `the ${graphId}'s form lacks ${lacks.join(", ")}; it has ${fields.join(", ")}`);
    }
    return Object.entries(forms)
      .map(([graphId, fields]) => `${graphId}: ${fields.join(", ")}`)
      .join("; ");
  });

  await step("subgraphs are expanded", async () => {
    const graph = await client.assistants.getGraph(await assistantOf(client, "agent"), { xray: true });
    const nodes = graph.nodes.map((node) => String(node.id));
    expect(
      nodes.some((id) => id.endsWith("executeTools")),
      `no session inside: ${nodes.join(", ")}`,
    );
    return `${nodes.length} nodes, ${graph.edges.length} edges`;
  });

  await step("the agent streams with subgraph events", async () => {
    const thread = await client.threads.create();
    const events = new Map<string, number>();
    let inner = 0;
    for await (const event of client.runs.stream(thread.thread_id, "agent", {
      input: { chunks, questions: ["When does Ben visit?"] },
      streamMode: ["updates"],
      streamSubgraphs: true,
    })) {
      if (event.event === "error") throw new Error(JSON.stringify(event.data));
      if (String(event.event).includes("|")) inner++;
      for (const node of Object.keys((event.data ?? {}) as object)) events.set(node, (events.get(node) ?? 0) + 1);
    }
    const { values } = await client.threads.getState<{ answers: Record<string, { answer: string | null }> }>(
      thread.thread_id,
    );
    const answer = values.answers?.q1?.answer;
    expect(inner > 0, "no event of a subgraph came");
    expect((events.get("executeTools") ?? 0) > 0, "no tool was run");
    expect(typeof answer === "string" && answer !== "", `no answer came: ${JSON.stringify(values.answers)}`);
    return `${inner} subgraph events, ${events.get("executeTools")} tool turns, answer: ${answer!.replace(/\s+/g, " ").slice(0, 80)}`;
  });

  await step("a person stops before the tools, changes a call, and goes on", async () => {
    const thread = await client.threads.create();
    const id = thread.thread_id;
    await client.runs.wait(id, "session", {
      input: { stage: "memory", focus: chunks[0] },
      interruptBefore: ["executeTools"],
    });
    const stopped = await client.threads.getState<{ calls: ParsedCall[] }>(id);
    expect(stopped.next.includes("executeTools"), `it stopped before ${stopped.next.join(", ") || "nothing"}`);
    const [call] = stopped.values.calls;
    expect(call?.name === "memory_add", `expected a memory_add to wait, got ${call?.name}`);
    const title = "edited by a person";
    await client.threads.updateState(id, { values: { calls: [{ ...call!, args: { ...call!.args, title } }] } });
    await client.runs.wait(id, "session", { input: null });
    const done = await client.threads.getState<{
      log: { args: { title?: string } }[];
      outcome: { end: string } | null;
    }>(id);
    const ran = done.values.log.map((entry) => entry.args?.title);
    expect(ran[0] === title, `the first call that ran was titled ${JSON.stringify(ran[0])}`);
    expect(done.values.outcome?.end === "text", `the session ended by ${done.values.outcome?.end}`);
    return `stopped before executeTools, ran "${title}", ended by ${done.values.outcome?.end}`;
  });

  await step("the same inside the whole agent, three graphs deep", async () => {
    const { thread_id: id } = await client.threads.create();
    const stops = { configurable: { interruptBefore: ["executeTools"] } };
    await client.runs.wait(id, "agent", { input: { chunks, questions: [] }, config: stops });
    const state: ThreadState<WaitingState> = await client.threads.getState(id, undefined, { subgraphs: true });
    const [session] = waitingSessions(state);
    expect(session !== undefined, "no session waits before executeTools");
    const title = "Ada moved to Lisbon, in the words of a person";
    await editTitle(client, id, session, title);
    // a thread keeps what a run was configured with, so going on to the end takes the stops away
    await client.runs.wait(id, "agent", { input: null, config: { configurable: { interruptBefore: [] } } });
    const { values } = await client.threads.getState<{ cursor: number; total: number; memoryRef: string }>(id);
    expect(values.cursor === chunks.length, `it read ${values.cursor} of ${chunks.length} chunks`);
    const answer = await askBank(client, values.memoryRef, "Who moved to Lisbon?");
    expect(answer.includes(title), `the bank answers without the edited title: ${answer}`);
    return `stopped in chunk 1, ran "${title}", read all ${values.cursor} chunks; the bank answers from it`;
  });

  await checkRollout(client, step);
  await checkTrainer(client, step, note);
  return steps;
}

async function assistantOf(client: Client, graphId: string): Promise<string> {
  const [assistant] = await client.assistants.search({ graphId, limit: 1 });
  if (!assistant) throw new Error(`no assistant for graph ${graphId}`);
  return assistant.assistant_id;
}
