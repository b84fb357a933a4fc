/**
 * The model behind the stand-in server: a hand-written one that keeps one entry per chunk and answers from what it reads back.
 *
 * What it says depends on the request alone, its seed included: trajectories differ, and a run that is repeated does not.
 */
import { readSection } from "../../policies/prompt-sections.ts";

export interface WireMessage {
  readonly role: string;
  readonly content?: string | null;
  readonly tool_calls?: readonly unknown[];
}

export interface ChatRequest {
  readonly messages: readonly WireMessage[];
  readonly seed?: number;
}

interface Reply {
  readonly content: string;
  readonly tool_calls?: readonly {
    readonly id: string;
    readonly type: "function";
    readonly function: { readonly name: string; readonly arguments: string };
  }[];
}

/** How many replies there were before this one. */
export const turnOf = ({ messages }: ChatRequest): number => messages.filter(({ role }) => role === "assistant").length;

/** Three turns a session: reading: list, add, core. Answering: list, read one entry back, answer. */
export function standInReply(request: ChatRequest): Reply {
  const turn = turnOf(request);
  const prompt = request.messages.find(({ role }) => role === "user")?.content ?? "";
  const chunk = readSection(prompt, "chunk");
  const mark = ((request.seed ?? 0) >>> 0).toString(36);
  const last = request.messages.at(-1)?.content ?? "";
  if (turn === 0) return call(turn, "memory_list", {});
  if (chunk !== null) {
    if (turn === 1) return call(turn, "memory_add", { title: `note ${mark}`, content: chunk.slice(0, 300) });
    return { content: `${readSection(prompt, "core_memory")?.slice(-1_000) ?? ""} ${mark}`.trim() };
  }
  const title = /note \w+/.exec(last)?.[0];
  if (turn === 1 && title !== undefined) return call(turn, "memory_key_retrieve", { title });
  return { content: `It says: \\boxed{${last.length} ${mark}}` };
}

const call = (turn: number, name: string, args: object): Reply => ({
  content: "",
  tool_calls: [{ id: `call_${turn}`, type: "function", function: { name, arguments: JSON.stringify(args) } }],
});
