/** What the steps of `umagraph studio --check` are made of. */
import type { Client, ThreadState } from "@langchain/langgraph-sdk";
import { messageOf } from "../base/errors.ts";
import type { ParsedCall } from "../tools/call.ts";

export interface CheckStep {
  readonly name: string;
  readonly ok: boolean;
  readonly seen: string;
}

/** Runs one step and keeps what it saw, or what was wrong. */
export type Step = (name: string, check: () => Promise<string>) => Promise<void>;

export function stepsInto(steps: CheckStep[], note: (text: string) => void): Step {
  return async (name, check) => {
    note(`studio: ${name}`);
    try {
      steps.push({ name, ok: true, seen: await check() });
    } catch (thrown) {
      steps.push({ name, ok: false, seen: messageOf(thrown) });
    }
  };
}

export function expect(condition: boolean, problem: string): asserts condition {
  if (!condition) throw new Error(problem);
}

export const chunks = [
  "[2024-03-01 09:00] Ada: I moved to Lisbon last month and I love the light here.\n",
  "[2024-03-08 18:30] Ada: My sister Ben visits on 12 April; we will take the train to Porto.\n",
];

export interface WaitingState {
  readonly calls: ParsedCall[];
  readonly identity: { readonly trajectory: number };
}

/** The sessions inside that wait before their tools. */
export function waitingSessions(state: ThreadState<WaitingState>): ThreadState<WaitingState>[] {
  if (state.next.includes("executeTools")) return [state];
  return state.tasks.flatMap((task) =>
    task.state ? waitingSessions(task.state as unknown as ThreadState<WaitingState>) : [],
  );
}

/** Gives the session's first call another title, as a person would in Studio. */
export async function editTitle(client: Client, thread: string, session: ThreadState<WaitingState>, title: string) {
  const [call, ...others] = session.values.calls;
  expect(call?.name === "memory_add", `expected a memory_add to wait, got ${call?.name ?? "no call"}`);
  const calls = [{ ...call, args: { ...call.args, title } }, ...others];
  await client.threads.updateState(thread, { values: { calls }, checkpoint: session.checkpoint });
}

/** What a bank answers, asked through the answering graph. */
export async function askBank(client: Client, memoryRef: string, question: string): Promise<string> {
  const answered = await client.runs.wait(null, "answering", { input: { question, memoryRef } });
  return (answered as { answer?: string | null }).answer ?? "";
}
