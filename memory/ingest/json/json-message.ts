/**
 * One JSON object as a chat message. Known shapes: LangChain dumps (`{ lc, id, kwargs }`, `{ type, data }`), role/content
 * of the model APIs, Slack, Telegram, Instagram/Facebook, ShareGPT, and records with a speaker and a text.
 */
import { contentText, isRecord, richText, toolCallsText } from "./content-text.ts";
import { undoDoubleEncoding } from "./double-encoding.ts";
import { slackMessage } from "./slack.ts";

export interface JsonMessage {
  readonly speaker: string | null;
  readonly text: string;
  /** As it stands in the file. */
  readonly time: string | number | null;
  /** The shape alone says that this is a message; otherwise it takes company of its kind. */
  readonly certain: boolean;
}

export type Fields = Readonly<Record<string, unknown>>;

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
const roles = new Set(["user", "assistant", "system", "tool", "developer", "function", "model", "human", "ai", "gpt"]);
const langchainTypes = new Set(["human", "ai", "system", "tool", "function", "developer", "generic", "chat"]);

export const speakerKeys = [
  "speaker",
  "from",
  "author",
  "sender",
  "sender_name",
  "user",
  "username",
  "role",
  "actor",
  "name",
];
export const textKeys = ["text", "content", "message", "body", "msg", "value"];
export const timeKeys = [
  "timestamp",
  "timestamp_ms",
  "date",
  "datetime",
  "time",
  "ts",
  "created_at",
  "createdAt",
  "create_time",
  "sent_at",
  "date_unixtime",
];

/** `people` gives display names for Slack user ids. Null when the value is no message. */
export function jsonMessage(value: unknown, people: ReadonlyMap<string, string> = new Map()): JsonMessage | null {
  if (!isRecord(value)) return null;
  const langchain = langchainMessage(value);
  if (langchain !== null) return langchain;
  // answers of the APIs ({ message: { role, content } }) and nodes of ChatGPT exports
  if (isRecord(value.message) && "content" in value.message) return jsonMessage(value.message, people);
  const time = first(value, timeKeys, (held) => (typeof held === "number" || typeof held === "string" ? held : null));
  if (value.type === "message" && typeof value.ts === "string") return slackMessage(value, value.ts, people);
  if (typeof value.sender_name === "string" && typeof value.timestamp_ms === "number") return metaMessage(value);
  const speaker = speakerOf(value);
  const text = textOf(value);
  const isRole = typeof value.role === "string" && roles.has(value.role);
  if (isRole && text !== null) {
    return {
      speaker,
      text: [text, toolCallsText(value)].filter((part) => part !== "").join("\n"),
      time,
      certain: true,
    };
  }
  const telegram = typeof value.date_unixtime === "string" || (value.type === "service" && "actor" in value);
  if (telegram)
    return { speaker, text: withFields(text ?? "", value, text === null || text === ""), time, certain: true };
  // a bare name is a speaker only beside a time: { name, text } may be anything
  const named = speakerKeys.slice(0, -1).some((key) => key in value) || time !== null;
  if (speaker === null || text === null || !named) return null;
  return { speaker, text: withFields(text, value, true), time, certain: false };
}

function langchainMessage(value: Fields): JsonMessage | null {
  const id = Array.isArray(value.id) ? value.id[value.id.length - 1] : null;
  const isLc = value.lc === 1 && typeof id === "string" && /Message(?:Chunk)?$/.test(id) && isRecord(value.kwargs);
  const isStored = typeof value.type === "string" && langchainTypes.has(value.type);
  const held = isLc ? (value.kwargs as Fields) : isStored ? (isRecord(value.data) ? value.data : value) : null;
  if (held === null) return null;
  const text = contentText(held.content);
  if (text === null) return null;
  const kind = isLc ? String(id) : String(value.type);
  const name = typeof held.name === "string" && held.name !== "" ? held.name : null;
  const role = typeof held.role === "string" ? held.role : (roleNames[kind] ?? kind);
  const body = [text, toolCallsText(held)].filter((part) => part !== "").join("\n");
  return { speaker: name ?? role, text: body, time: null, certain: true };
}

function metaMessage(value: Fields): JsonMessage {
  const text = typeof value.content === "string" ? undoDoubleEncoding(value.content) : "";
  const speaker = undoDoubleEncoding(String(value.sender_name));
  return { speaker, text: withFields(text, value, text === ""), time: value.timestamp_ms as number, certain: true };
}

function speakerOf(value: Fields): string | null {
  const named =
    typeof value.role === "string" && typeof value.name === "string" && value.name !== "" ? value.name : null;
  const found = named ?? first(value, speakerKeys, personName);
  return found === null ? null : (roleNames[found] ?? found);
}

/** A name, or an object that has one (Discord, ChatGPT). */
function personName(held: unknown): string | null {
  if (typeof held === "string") return held.trim() === "" ? null : held;
  if (!isRecord(held)) return null;
  return first(held, ["nickname", "name", "display_name", "username", "role"], (name) =>
    typeof name === "string" && name !== "" ? name : null,
  );
}

function textOf(value: Fields): string | null {
  const text = first(value, textKeys, (held) => {
    if (Array.isArray(held) && held === value.text) return richText(held) ?? contentText(held);
    return contentText(held);
  });
  if (text !== null) return text;
  // an assistant turn that only calls tools has null content
  return "content" in value && value.content === null ? "" : null;
}

function first<T>(value: Fields, keys: readonly string[], read: (held: unknown) => T | null): T | null {
  for (const key of keys) {
    if (!Object.hasOwn(value, key)) continue;
    const found = read(value[key]);
    if (found !== null) return found;
  }
  return null;
}

const structural = new Set([
  ...speakerKeys,
  ...textKeys,
  ...timeKeys,
  "type",
  "id",
  "_id",
  "uuid",
  "from_id",
  "actor_id",
]);

/** Appends the plain fields that no message shape knows, so that an amount beside a text is not lost. */
function withFields(text: string, value: Fields, wanted: boolean): string {
  if (!wanted) return text;
  const listed = Object.entries(value).flatMap(([key, held]) => {
    if (structural.has(key) || /(?:_id|Id|_unixtime|_ms)$/.test(key)) return [];
    if (typeof held === "number" || (typeof held === "string" && held !== "")) return [`${key}: ${held}`];
    // a photo or a poll is all that a message without text has to say
    return text === "" && held !== null && typeof held === "object" && Object.keys(held).length > 0 ? [key] : [];
  });
  if (listed.length === 0) return text;
  return text === "" ? `[${listed.join(", ")}]` : `${text} (${listed.join(", ")})`;
}
