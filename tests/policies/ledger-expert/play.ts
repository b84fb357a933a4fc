/** Plays a script against a bank of plain text, one session at a time, as fast as a property test needs it. */
import { section } from "../../../policies/prompt-sections.ts";
import type { Exchange, Script, ScriptedReply } from "../../../policies/scripted-chat-model.ts";

export interface PlayOptions {
  readonly tools?: readonly string[];
  readonly maxCalls?: number;
  readonly maxTurns?: number;
  readonly maxTokens?: number;
  /** What an entry's content looks like when it is read; to cut it, for one. */
  readonly shown?: (content: string) => string;
}

const bankTools = ["memory_add", "memory_update", "memory_delete", "memory_key_retrieve", "memory_list"];

export interface Played {
  readonly text: string;
  readonly turns: number;
  /** Calls that found no entry, or one where there should be none. */
  readonly misses: readonly string[];
  readonly calls: readonly string[];
}

export const maintenancePrompt = (core: string, chunk: string) =>
  `Keep the memory.\n\n${section("core_memory", core)}\n${section("chunk", chunk)}`;
export const questionPrompt = (core: string, question: string) =>
  `Answer.\n\n${section("question", question)}\n${section("core_memory", core)}`;

export function play(script: Script, bank: Map<string, string>, prompt: string, options: PlayOptions = {}): Played {
  const { tools = bankTools, maxCalls = 16, maxTurns = 32, maxTokens = 7_000, shown = (content) => content } = options;
  const exchanges: Exchange[] = [];
  const misses: string[] = [];
  for (let turn = 0; turn < maxTurns; turn++) {
    const offered = new Set(turn + 1 === maxTurns ? [] : tools);
    const reply = script({
      messages: [],
      tools: offered,
      seed: 0,
      maxTokens,
      prompt,
      turn,
      exchanges,
    }) as ScriptedReply;
    if (!reply.calls || reply.calls.length === 0)
      return { text: reply.text ?? "", turns: turn + 1, misses, calls: exchanges.map(({ name }) => name) };
    reply.calls.forEach(({ name, args }, i) => {
      if (!offered.has(name)) throw new Error(`${name} was not offered`);
      const run =
        i < maxCalls ? runTool(bank, name, args as { title: string; content: string; filter?: string }) : null;
      if (run?.miss) misses.push(`${name} ${args.title}`);
      const observation = run ? run.observation : `Not run: at most ${maxCalls} calls are taken per turn.`;
      exchanges.push({
        id: `${turn}.${i}`,
        name,
        args,
        observation: name === "memory_key_retrieve" && run && !run.miss ? shown(observation) : observation,
      });
    });
  }
  throw new Error("the script never came to an end");
}

function runTool(
  bank: Map<string, string>,
  name: string,
  { title, content, filter = "" }: { title: string; content: string; filter?: string },
): { observation: string; miss?: boolean } {
  const has = bank.has(title);
  if (name === "memory_list") {
    const titles = [...bank.keys()].filter((candidate) => candidate.includes(filter));
    return { observation: JSON.stringify({ titles, total: titles.length }) };
  }
  if (has === (name === "memory_add"))
    return { observation: has ? `The title "${title}" is taken.` : `No entry is titled "${title}".`, miss: true };
  if (name === "memory_key_retrieve") return { observation: bank.get(title)! };
  if (name === "memory_delete") bank.delete(title);
  else bank.set(title, content);
  return { observation: "Done." };
}
