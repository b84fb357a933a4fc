/**
 * A stateless policy for variant tests: it keeps every chunk under a title of its own, counts the chunks in a running entry,
 * looks into the bank and the raw context before it answers, and answers by quoting what it saw.
 */
import type { BaseMessage } from "@langchain/core/messages";
import type { Policy, SampleRequest } from "../../policies/policy.ts";
import { readSection } from "../../policies/prompt-sections.ts";
import { add, list, perCharacter, read, type Step, sampleOf, update } from "./scripts.ts";

export interface DiligentPolicy extends Policy {
  /** How many replies it has given. */
  readonly count: () => number;
}

export function diligentPolicy(options: { failOn?: (request: SampleRequest) => boolean } = {}): DiligentPolicy {
  let count = 0;
  return {
    name: "diligent",
    scripted: true,
    weights: null,
    countTokens: (text) => Math.ceil(perCharacter(text) / 4),
    count: () => count,
    async sample(request) {
      count++;
      if (options.failOn?.(request)) throw new Error("the server is down");
      const turn = request.messages.filter((message) => message.getType() === "ai").length;
      return sampleOf(nextStep(request, turn), turn);
    },
  };
}

function nextStep({ messages, tools }: SampleRequest, turn: number): Step {
  const prompt = messages[1]!.text;
  const chunk = readSection(prompt, "chunk");
  if (chunk !== null) return maintain(chunk, readSection(prompt, "core_memory") ?? "", observations(messages), turn);
  const question = readSection(prompt, "question") ?? "";
  const context = readSection(prompt, "context");
  const can = (name: string) => tools.some((tool) => tool.function.name === name);
  if (turn === 0 && can("memory_list")) {
    return {
      calls: [
        list(),
        ...(can("memory_bm25_retrieve") ? [["memory_bm25_retrieve", { query: question, top_k: 3 }] as const] : []),
      ],
    };
  }
  const [seen = "{}"] = observations(messages);
  const titles: string[] = JSON.parse(seen).titles ?? [];
  if (turn === 1 && tools.length > 0) return { calls: titles.length > 0 ? titles.map(read) : [read("nothing")] };
  return { text: `From what I saw: ${observations(messages).reverse().join(" ") || (context ?? "")}`.slice(0, 400) };
}

function maintain(chunk: string, core: string, seen: string[], turn: number): Step {
  if (turn === 0) return { calls: [list("count"), read("count")] };
  if (turn === 1) {
    const known = JSON.parse(seen[0]!).titles.length > 0;
    const before = known ? Number(seen[1]) : 0;
    const counting = known ? update("count", String(before + 1)) : add("count", "1");
    return { calls: [counting, add(`chunk ${before}`, chunk)] };
  }
  return { text: `${core} ${chunk.slice(0, 12)}`.trim() };
}

const observations = (messages: readonly BaseMessage[]) =>
  messages.filter((message) => message.getType() === "tool").map((message) => message.text);
