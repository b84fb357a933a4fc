/** Message content of the common APIs as text: a string, a list of parts, or an object that holds one of them. */

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  value !== null && typeof value === "object" && !Array.isArray(value);

/** Null when the value is no message content at all. Parts that are not text are named, never dropped. */
export function contentText(content: unknown): string | null {
  if (typeof content === "string") return content;
  if (Array.isArray(content)) {
    const parts = content.map(partText);
    return parts.includes(null) ? null : parts.filter((part) => part !== "").join("\n");
  }
  // ChatGPT exports: { content_type, parts }
  if (isRecord(content) && Array.isArray(content.parts)) return contentText(content.parts);
  return null;
}

function partText(part: unknown): string | null {
  if (typeof part === "string") return part;
  if (!isRecord(part)) return null;
  if (typeof part.text === "string") return part.text;
  if (isRecord(part.text) && typeof part.text.value === "string") return part.text.value;
  if (typeof part.refusal === "string") return part.refusal;
  const type = typeof part.type === "string" ? part.type : (part.content_type ?? part.kind);
  if (typeof type !== "string") return null;
  if (type === "tool_use") return callText(part.name, part.input);
  if (type === "tool_result") return `[result] ${contentText(part.content) ?? jsonText(part.content)}`;
  return `[${type}]`;
}

/** Tool calls of OpenAI (`function: { name, arguments }`), LangChain (`name`, `args`) and the older `function_call`. */
export function toolCallsText(message: Readonly<Record<string, unknown>>): string {
  const calls = Array.isArray(message.tool_calls) ? message.tool_calls : [];
  const legacy = isRecord(message.function_call) ? [message.function_call] : [];
  return [...calls, ...legacy]
    .filter(isRecord)
    .map((call) => {
      const held = isRecord(call.function) ? call.function : call;
      return callText(held.name, held.arguments ?? held.args);
    })
    .join("\n");
}

function callText(name: unknown, args: unknown): string {
  return `[call ${typeof name === "string" ? name : "?"}(${typeof args === "string" ? args : jsonText(args ?? {})})]`;
}

export const jsonText = (value: unknown): string => JSON.stringify(value) ?? "";

/** Telegram's rich text: a run of strings and `{ type, text }`, joined without anything between. */
export function richText(runs: readonly unknown[]): string | null {
  const texts = runs.map((run) =>
    typeof run === "string" ? run : isRecord(run) && typeof run.text === "string" ? run.text : null,
  );
  return texts.includes(null) ? null : texts.join("");
}
