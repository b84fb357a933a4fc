/** The rollout graph through the API: its table is what sampling gives, and a person can step into one of its trajectories. */
import type { Client, ThreadState } from "@langchain/langgraph-sdk";
import { studioDeps } from "../graphs/studio-deps.ts";
import { loadVariant } from "../graphs/variants/load-variant.ts";
import type { RolloutContext } from "../rollouts/rollout-context.ts";
import { sampleRollouts } from "../rollouts/sample-rollouts.ts";
import {
  askBank,
  chunks,
  editTitle,
  expect,
  type Step,
  type WaitingState,
  waitingSessions,
} from "./studio-check-steps.ts";

const context: RolloutContext = {
  id: "check",
  chunks,
  questions: [
    { id: "who", text: "Who moved to Lisbon?", position: 0 },
    { id: "when", text: "When does Ben visit?", position: 1 },
    { id: "how", text: "How do they go to Porto?", position: 1 },
  ],
};
const [G, M, seed] = [2, 2, 7];
const input = { chunks, questions: context.questions, G, M, seed, identity: { run: "rollout", context: context.id } };

type Rows = Record<string, Record<string, { answer: string | null; end: string }>>;

interface Values {
  readonly answers: Rows;
  readonly trajectories: Record<string, { memories: { memoryRef: string }[]; sessions: unknown[] }>;
}

export async function checkRollout(client: Client, step: Step): Promise<void> {
  const { policy, toolset, prompts, limits } = await studioDeps();
  const variant = await loadVariant(process.env.UMAGRAPH_VARIANT || "uma");
  let expected: Rows = {};
  /** A model may say it in other words each time; a script may not. */
  const same = (rows: Rows[string] | undefined, trajectory: string) => {
    const seen = (all: Rows[string] = {}) =>
      JSON.stringify(
        Object.entries(all)
          .map(([id, { answer, end }]) => (policy.scripted ? [id, end, answer] : [id]))
          .sort(),
      );
    const wanted = seen(expected[trajectory]);
    expect(seen(rows) === wanted, `${trajectory}: sampling gives ${wanted}, the graph ${seen(rows)}`);
  };

  await step("a rollout gives the table that sampling gives", async () => {
    expected = {};
    for await (const { stage, trajectory, question, answer, end } of sampleRollouts([context], {
      ...{ G, M, seed, policy, variant, toolset, prompts, limits },
    }))
      if (stage === "qa") expected[`t${trajectory}`] = { ...expected[`t${trajectory}`], [question!]: { answer, end } };
    const { thread_id: id } = await client.threads.create();
    let inner = 0;
    const config = { input, streamMode: ["updates" as const], streamSubgraphs: true };
    for await (const event of client.runs.stream(id, "rollout", config)) {
      if (event.event === "error") throw new Error(JSON.stringify(event.data));
      if (String(event.event).includes("|")) inner++;
    }
    const { answers } = (await client.threads.getState<Values>(id)).values;
    expect(Object.keys(answers).length === G, `expected ${G} trajectories, got ${Object.keys(answers).join(", ")}`);
    for (const trajectory of ["t0", "t1"]) same(answers[trajectory], trajectory);
    return `${inner} subgraph events, ${G} trajectories × ${M} questions (${Object.keys(answers.t0!).join(", ")})`;
  });

  if (!variant.keepsMemory) return;
  await step("a person steps into one trajectory of a rollout, and the other stays as sampled", async () => {
    const { thread_id: id } = await client.threads.create();
    await client.runs.wait(id, "rollout", { input, config: { configurable: { interruptBefore: ["executeTools"] } } });
    const state: ThreadState<WaitingState> = await client.threads.getState(id, undefined, { subgraphs: true });
    const sessions = waitingSessions(state);
    const of = sessions
      .map(({ values }) => `t${values.identity.trajectory}`)
      .sort()
      .join();
    expect(of === "t0,t1", `sessions of ${of || "no trajectory"} wait before executeTools`);
    const title = "Ada moved to Lisbon, in the words of a person";
    await editTitle(client, id, sessions.find(({ values }) => values.identity.trajectory === 0)!, title);
    await client.runs.wait(id, "rollout", { input: null, config: { configurable: { interruptBefore: [] } } });
    const { answers, trajectories } = (await client.threads.getState<Values>(id)).values;
    same(answers.t1, "t1");
    const [edited, sampled] = await Promise.all(
      ["t0", "t1"].map((i) => askBank(client, trajectories[i]!.memories.at(-1)!.memoryRef, "Who moved to Lisbon?")),
    );
    expect(edited!.includes(title), `t0's bank answers without the edited title: ${edited}`);
    expect(!sampled!.includes(title), `t1's bank has the title that was edited in t0: ${sampled}`);
    const read = Object.values(trajectories).map((row) => row.sessions.length);
    expect(
      read.every((count) => count === chunks.length),
      `the trajectories have ${read.join(" and ")} sessions`,
    );
    return `both stopped in chunk 1, t0 ran "${title}", ${read.join(" + ")} sessions; t1 is as sampled`;
  });
}
