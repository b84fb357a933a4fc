/** Requests as sessions make them, for tests of policies. */
import { type BaseMessage, HumanMessage, SystemMessage, ToolMessage } from "@langchain/core/messages";
import type { Policy, Sample, SampleRequest } from "../../policies/policy.ts";
import { section } from "../../policies/prompt-sections.ts";
import { memoryAdd } from "../../tools/memory-add.ts";
import { memoryBm25Retrieve } from "../../tools/memory-bm25-retrieve.ts";
import { memoryKeyRetrieve } from "../../tools/memory-key-retrieve.ts";
import { memoryList } from "../../tools/memory-list.ts";
import { type ToolDefinition, toolDefinition } from "../../tools/tool.ts";

export const memoryTools: readonly ToolDefinition[] = [memoryAdd, memoryKeyRetrieve, memoryList].map(toolDefinition);
export const qaTools: readonly ToolDefinition[] = [memoryKeyRetrieve, memoryList, memoryBm25Retrieve].map(
  toolDefinition,
);

export const chunkText = [
  "[2023-05-08 13:56] Caroline: I went to a LGBTQ support group yesterday and it was so powerful.",
  "[2023-05-08 13:57] Melanie: I painted a lake sunrise last year, it hangs in the kitchen.",
].join("\n");

export function request(user: string, given: Partial<SampleRequest> = {}): SampleRequest {
  return {
    messages: [new SystemMessage("You keep a memory."), new HumanMessage(user)],
    tools: [],
    maxTokens: 4_000,
    seed: 7,
    ...given,
  };
}

export const memoryRequest = (chunk = chunkText, core = "", given: Partial<SampleRequest> = {}): SampleRequest =>
  request(`${section("core_memory", core)}\n${section("chunk", chunk)}`, { tools: memoryTools, ...given });

export const qaRequest = (question: string, core = "", given: Partial<SampleRequest> = {}): SampleRequest =>
  request(`${section("core_memory", core)}\n${section("question", question)}`, { tools: qaTools, ...given });

/** Plays a session: every call gets an observation, until the policy writes plain text. */
export async function playSession(
  policy: Policy,
  opening: SampleRequest,
  observe: (call: Sample["calls"][number]) => string = observed,
): Promise<{ samples: Sample[]; messages: BaseMessage[] }> {
  const samples: Sample[] = [];
  let messages = [...opening.messages];
  for (let turn = 0; turn < 10; turn++) {
    const sample = await policy.sample({ ...opening, messages, seed: opening.seed + turn });
    samples.push(sample);
    messages = [...messages, sample.message];
    if (sample.calls.length === 0) return { samples, messages };
    for (const call of sample.calls)
      messages.push(new ToolMessage({ tool_call_id: call.id, name: call.name, content: observe(call) }));
  }
  throw new Error("the session did not end within ten turns");
}

function observed(call: Sample["calls"][number]): string {
  if (call.error !== null) return call.error;
  if (call.name === "memory_add") return `Added ${JSON.stringify(call.args?.title)}.`;
  if (call.name === "memory_list") return JSON.stringify({ titles: ["2023-05-08 · Caroline"], total: 1 });
  if (call.name === "memory_key_retrieve") return chunkText;
  return JSON.stringify({ results: [{ rank: 1, chunk: 1, score: 1, text: chunkText }] });
}
