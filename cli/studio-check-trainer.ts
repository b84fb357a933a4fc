/** The trainer graph through the API: one update of a small policy, with a stop before every step of it. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Client } from "@langchain/langgraph-sdk";
import { readJsonl } from "../base/jsonl.ts";
import { modelPlace } from "../trainers/recipes/model-place.ts";
import type { MetricsLine } from "../trainers/run/metrics-line.ts";
import { stepNames, type TrainingState } from "../trainers/run/state.ts";
import { trainingFiles } from "../trainers/run/training-folder.ts";
import { environmentPython } from "./learner/environment.mjs";
import { expect, type Step } from "./studio-check-steps.ts";
import { startEmbeddedLearner } from "./train/embedded-learner.ts";

const MODEL = "assets/cold-start";

const ledger = { profile: "micro", horizon: 4, maxTransactions: 3, changes: 0.5 } as const;

/** Few sessions, of a kind that this model does not always get right: there is something to learn from. */
const changes = {
  model: MODEL,
  updates: 1,
  data: [{ benchmark: "ledger-qa", config: { ...ledger, split: "train" }, contexts: 1, M: 4, generated: true }],
  evaluation: { data: [{ benchmark: "ledger-qa", config: { ...ledger, split: "test" }, contexts: 1, M: 1 }], every: 1 },
  "rollout.G": 4,
};

interface Values {
  readonly training: TrainingState;
}

export async function checkTrainer(client: Client, step: Step, note: (text: string) => void): Promise<void> {
  await step("one update of the trainer, step by step", async () => {
    if (environmentPython() === null)
      return "skipped: the learner's Python environment is not there (umagraph learner start makes it)";
    const scratch = mkdtempSync(join(tmpdir(), "umagraph-trainer-"));
    const folder = join(scratch, "run");
    const learner = await startEmbeddedLearner({
      ...{ folder: scratch, model: modelPlace(MODEL), loraRank: null },
      ...{ device: "cpu", threads: 1, wait: 300, say: (line) => note(`studio: ${line}`) },
    });
    const { UMAGRAPH_LEARNER, UMAGRAPH_LEARNER_CHECKPOINTS } = process.env;
    const env = { UMAGRAPH_LEARNER, UMAGRAPH_LEARNER_CHECKPOINTS };
    process.env.UMAGRAPH_LEARNER = learner.place.baseURL;
    process.env.UMAGRAPH_LEARNER_CHECKPOINTS = learner.place.checkpoints!;
    try {
      return await stepThrough(client, folder);
    } finally {
      restore(env);
      await learner.close({ atOnce: true });
      rmSync(scratch, { recursive: true, force: true });
    }
  });
}

async function stepThrough(client: Client, folder: string): Promise<string> {
  const { thread_id: id } = await client.threads.create();
  const stops = { interruptBefore: [...stepNames, "closeRun"] };
  await client.runs.wait(id, "trainer", { input: { recipe: "demo", seed: 1, folder, changes }, ...stops });
  const walked: string[] = [];
  for (;;) {
    const { next, values } = await client.threads.getState<Values>(id);
    const [node] = next;
    if (node === undefined) break;
    walked.push(node);
    expect(walked.length < 20, `it goes on and on: ${walked.join(" → ")}`);
    expect(
      node === "closeRun" || values.training.next === node,
      `it stops before ${node}, and the state says ${values.training.next}`,
    );
    await client.runs.wait(id, "trainer", { input: null, ...stops });
  }
  const expected = ["evaluate", ...stepNames, "closeRun"].join(" → ");
  expect(walked.join(" → ") === expected, `expected ${expected}, got ${walked.join(" → ")}`);
  const { training } = (await client.threads.getState<Values>(id)).values;
  expect(
    training.next === null && training.update === 1,
    `it ended before ${training.next}, after ${training.update} updates`,
  );
  const [line] = readJsonl<MetricsLine>(trainingFiles.metrics(folder)).values;
  expect(line !== undefined, "no line of metrics was written");
  const took = line.skipped === null ? `${line.steps.length} step(s) at the learner` : `no step (${line.skipped})`;
  return `${walked.length} stops, ${line.sessions.memory} memory and ${line.sessions.qa} QA sessions, ${took}`;
}

function restore(env: Readonly<Record<string, string | undefined>>): void {
  for (const [name, value] of Object.entries(env))
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
}
