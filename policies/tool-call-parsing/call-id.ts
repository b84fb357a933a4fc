/**
 * Ids of calls that come without one: "c", four digits for the turn, four for the call.
 *
 * Unique within a session, the same in every run, and nine letters and digits, which is the narrowest form that any
 * provider insists on when a history is sent back to it.
 */
import type { BaseMessage } from "@langchain/core/messages";

export function callIdPrefix(messages: readonly BaseMessage[]): string {
  let turn = 0;
  for (const message of messages) if (message.getType() === "ai") turn++;
  return `c${String(turn).padStart(4, "0")}`;
}

export const callId = (prefix: string, k: number) => prefix + String(k).padStart(4, "0");
