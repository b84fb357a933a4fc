/** LangChain message dumps: `{ lc: 1, id: [..., "HumanMessage"], kwargs }`, `{ type: "human", data }`, `{ type: "ai", content }`. */
import { contentText, isRecord, toolCallsText } from "./content-text.ts";
import type { Fields, JsonMessage } from "./json-message.ts";

const roleNames: Readonly<Record<string, string>> = {
  human: "user",
  HumanMessage: "user",
  HumanMessageChunk: "user",
  ai: "assistant",
  AIMessage: "assistant",
  AIMessageChunk: "assistant",
  gpt: "assistant",
  SystemMessage: "system",
  ToolMessage: "tool",
  FunctionMessage: "function",
};
/** One word per role, whichever library wrote the dump: `human`, `HumanMessage` → user. */
export const roleName = (name: string): string => (Object.hasOwn(roleNames, name) ? roleNames[name]! : name);

const langchainTypes = new Set(["human", "ai", "system", "tool", "function", "developer", "generic", "chat"]);

/** Null when the value is no LangChain message. */
export function langchainMessage(value: Fields): JsonMessage | null {
  const id = Array.isArray(value.id) ? value.id[value.id.length - 1] : null;
  const isLc = value.lc === 1 && typeof id === "string" && /Message(?:Chunk)?$/.test(id) && isRecord(value.kwargs);
  const isStored = typeof value.type === "string" && langchainTypes.has(value.type);
  const held = isLc ? (value.kwargs as Fields) : isStored ? (isRecord(value.data) ? value.data : value) : null;
  if (held === null) return null;
  const text = contentText(held.content);
  if (text === null) return null;
  const kind = isLc ? String(id) : String(value.type);
  const name = typeof held.name === "string" && held.name !== "" ? held.name : null;
  const role = typeof held.role === "string" ? held.role : roleName(kind);
  const body = [text, toolCallsText(held)].filter((part) => part !== "").join("\n");
  return { speaker: name ?? role, text: body, time: null, certain: true };
}
