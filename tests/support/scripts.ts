/** Hand-written policies for tests: each plays a script and keeps what it was shown. */
import { AIMessage } from "@langchain/core/messages";
import type { Policy, Sample, SampleRequest } from "../../policies/policy.ts";
import type { ParsedCall } from "../../tools/call.ts";

/** One reply: text, calls, or a failure. */
export interface Step {
  readonly text?: string;
  /** Name and arguments, or a whole parsed call (an unreadable one, a repaired one). */
  readonly calls?: readonly (readonly [name: string, args: Record<string, unknown>] | Partial<ParsedCall>)[];
  readonly fail?: Error;
  /** What the provider says it counted. */
  readonly usage?: Sample["usage"];
  readonly cut?: Sample["cut"];
  /** The whole reply as it goes into the history, where the text is what is left of it. */
  readonly raw?: string;
  /** As hermes policies do: the calls are in the text, not in the message's tool_calls. */
  readonly asText?: boolean;
}

export interface ScriptedPolicy extends Policy {
  readonly requests: SampleRequest[];
}

/** Plays `steps` in order, whatever it is asked; fails when they run out. */
export function playing(
  steps: readonly Step[] | ((request: SampleRequest, turn: number) => Step),
  options: { name?: string; countTokens?: (text: string) => number } = {},
): ScriptedPolicy {
  const requests: SampleRequest[] = [];
  return {
    name: options.name ?? "script",
    scripted: true,
    weights: null,
    countTokens: options.countTokens ?? perCharacter,
    requests,
    async sample(request) {
      const turn = requests.push({ ...request, messages: [...request.messages] }) - 1;
      const step = typeof steps === "function" ? steps(request, turn) : steps[turn];
      if (!step) throw new Error(`the script has ${turn} steps, and a turn more was asked for`);
      return sampleOf(step, turn);
    },
  };
}

export function sampleOf(step: Step, turn: number): Sample {
  if (step.fail) throw step.fail;
  const calls = (step.calls ?? []).map((call, index) => parsed(call, `call-${turn}-${index}`));
  const text = step.text ?? "";
  const readable = calls.filter((call) => call.args !== null);
  const message = new AIMessage(
    step.asText
      ? { content: `${text}${calls.map((call) => markup(call)).join("")}` }
      : {
          content: step.raw ?? text,
          tool_calls: readable.map(({ id, name, args }) => ({
            id,
            name,
            args: args ?? {},
            type: "tool_call" as const,
          })),
        },
  );
  return { message, text, calls, usage: step.usage ?? null, cut: step.cut ?? null };
}

const markup = ({ name, args }: ParsedCall) => `<tool_call>${JSON.stringify({ name, arguments: args })}</tool_call>`;

function parsed(call: NonNullable<Step["calls"]>[number], id: string): ParsedCall {
  const given = (Array.isArray(call) ? { name: call[0], args: call[1] } : call) as Partial<ParsedCall>;
  return { id, name: "", args: null, error: null, repaired: false, ...given };
}

/** One token per UTF-16 unit: sums can be checked in the head. */
export const perCharacter = (text: string) => text.length;

export const perWord = (text: string) => text.split(/\s+/).filter(Boolean).length;

/** Shorthands for the paper's calls. */
export const add = (title: string, content: string) => ["memory_add", { title, content }] as const;
export const update = (title: string, content: string, newTitle?: string) =>
  ["memory_update", { title, content, ...(newTitle !== undefined && { new_title: newTitle }) }] as const;
export const remove = (title: string) => ["memory_delete", { title }] as const;
export const read = (title: string) => ["memory_key_retrieve", { title }] as const;
export const list = (filter?: string) => ["memory_list", filter === undefined ? {} : { filter }] as const;
