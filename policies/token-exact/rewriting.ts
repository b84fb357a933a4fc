/**
 * Whether a chat template lets a session go on as it stands, tried out once per template (learner protocol notes §3, point 2).
 *
 * Templates of thinking models drop the thoughts of earlier replies once another user message follows; others move the tools
 * to the last user message. The next prompt is then no continuation of the ids so far, and the session becomes several
 * sequences. Nothing is wrong with that, but it costs a prompt each time, so it is said.
 */
import type { ToolDefinition } from "../../tools/tool.ts";
import type { PlainMessage } from "./chat-format.ts";

/** For what may follow a reply: whether the reply, or what stood before it, is then written differently. */
export interface Rewriting {
  /** After tool results. */
  readonly tool: Changes;
  /** After a user message. */
  readonly user: Changes;
}

/** `never`, `always`, or only when a reply holds a thought. */
export type Changes = "never" | "thoughts" | "always";

export interface Printing {
  session(messages: readonly PlainMessage[], tools: readonly ToolDefinition[]): string;
  suffix(messages: readonly PlainMessage[]): string;
}

export function rewritingOf(printing: Printing): Rewriting {
  const tried = (following: readonly PlainMessage[]): Changes => {
    if (!goesOn(printing, "Noted.", following)) return "always";
    return goesOn(printing, "<think>\nIt may matter.\n</think>\n\nNoted.", following) ? "never" : "thoughts";
  };
  const result = (text: string): PlainMessage => ({ role: "tool", text, name: TOOL.function.name, callId: "c1" });
  return {
    tool: tried([result("one"), result("two")]),
    user: tried([{ role: "user", text: "And now?" }]),
  };
}

function goesOn(printing: Printing, reply: string, following: readonly PlainMessage[]): boolean {
  const opening: PlainMessage[] = [
    { role: "system", text: "Keep notes." },
    { role: "user", text: "Read this." },
  ];
  const whole = printing.session([...opening, { role: "assistant", text: reply }, ...following], [TOOL]);
  return whole === printing.session(opening, [TOOL]) + reply + printing.suffix(following);
}

const TOOL: ToolDefinition = {
  type: "function",
  function: { name: "note", description: "Writes a note.", parameters: { type: "object", properties: {} } },
};

/** One sentence for people; null when there is nothing to say. */
export function rewritingNotice({ tool, user }: Rewriting): string | null {
  if (tool === "never" && user === "never") return null;
  const after = tool === "never" ? "a user message follows" : "anything follows";
  const what = tool === "always" || user === "always" ? "the session so far" : "replies with thoughts";
  return `the chat template writes ${what} differently once ${after}: such sessions begin anew there and become several sequences`;
}
