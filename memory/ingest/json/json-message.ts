/**
 * One JSON object as a chat message. Known shapes: LangChain dumps (`{ lc, id, kwargs }`, `{ type, data }`), role/content
 * of the model APIs, Slack, Telegram, Instagram/Facebook, ShareGPT, and records with a speaker and a text.
 */
import { contentText, isRecord, richText, toolCallsText } from "./content-text.ts";
import { undoDoubleEncoding } from "./double-encoding.ts";
import { langchainMessage, roleName } from "./langchain.ts";
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

const roles = new Set(["user", "assistant", "system", "tool", "developer", "function", "model", "human", "ai", "gpt"]);
// in the order in which they are asked
const speakerKeys = "speaker from author sender sender_name user username role actor name".split(" ");
const textKeys = "text content message body msg value".split(" ");
const timeKeys =
  "timestamp timestamp_ms date datetime time ts created_at createdAt create_time sent_at date_unixtime".split(" ");

/** `people` gives display names for Slack user ids. Null when the value is no message. */
export function jsonMessage(value: unknown, people: ReadonlyMap<string, string> = new Map()): JsonMessage | null {
  if (!isRecord(value)) return null;
  const langchain = langchainMessage(value);
  if (langchain !== null) return langchain;
  // answers of the APIs ({ message: { role, content } }) and nodes of ChatGPT exports
  if (isRecord(value.message) && "content" in value.message) return jsonMessage(value.message, people);
  if (value.type === "message" && typeof value.ts === "string") return slackMessage(value, value.ts, people);
  if (typeof value.sender_name === "string" && typeof value.timestamp_ms === "number") return metaMessage(value);

  const time = pick(value, timeKeys, (held) => (typeof held === "number" || typeof held === "string" ? held : null));
  const speaker = speakerOf(value);
  const text = textOf(value);
  const who = speaker === null ? null : roleName(speaker.found);
  const when = time?.found ?? null;
  if (typeof value.role === "string" && roles.has(value.role) && text !== null) {
    const parts = [text.found, toolCallsText(value)].filter((part) => part !== "");
    return { speaker: who, text: parts.join("\n"), time: when, certain: true };
  }
  const read = [speaker?.key, text?.key, time?.key];
  if (typeof value.date_unixtime === "string" || (value.type === "service" && "actor" in value)) {
    const said = text?.found ?? "";
    return { speaker: who, text: said === "" ? fieldsText("", value, read) : said, time: when, certain: true };
  }
  // a bare name is a speaker only beside a time: { name, text } may be anything
  if (speaker === null || text === null || (speaker.key === "name" && time === null)) return null;
  return { speaker: who, text: fieldsText(text.found, value, read), time: when, certain: false };
}

function metaMessage(value: Fields): JsonMessage {
  const said = typeof value.content === "string" ? undoDoubleEncoding(value.content) : "";
  const text = said === "" ? fieldsText("", value, ["sender_name", "timestamp_ms", "content"]) : said;
  const speaker = undoDoubleEncoding(String(value.sender_name));
  return { speaker, text, time: value.timestamp_ms as number, certain: true };
}

function speakerOf(value: Fields): Picked<string> | null {
  if (typeof value.role === "string" && typeof value.name === "string" && value.name !== "") {
    return { key: "name", found: value.name };
  }
  return pick(value, speakerKeys, personName);
}

/** A name, or an object that has one (Discord, ChatGPT). */
function personName(held: unknown): string | null {
  if (typeof held === "string") return held.trim() === "" ? null : held;
  if (!isRecord(held)) return null;
  const names = ["nickname", "name", "display_name", "username", "role"];
  return pick(held, names, (name) => (typeof name === "string" && name !== "" ? name : null))?.found ?? null;
}

function textOf(value: Fields): Picked<string> | null {
  const text = pick(value, textKeys, (held) => {
    if (Array.isArray(held) && held === value.text) return richText(held) ?? contentText(held);
    return contentText(held);
  });
  if (text !== null) return text;
  // an assistant turn that only calls tools has null content
  return "content" in value && value.content === null ? { key: "content", found: "" } : null;
}

interface Picked<T> {
  readonly key: string;
  readonly found: T;
}

function pick<T>(value: Fields, keys: readonly string[], read: (held: unknown) => T | null): Picked<T> | null {
  for (const key of keys) {
    if (!Object.hasOwn(value, key)) continue;
    const found = read(value[key]);
    if (found !== null) return { key, found };
  }
  return null;
}

const identifiers = /^(?:type|id|_id|uuid)$|(?:_id|Id|_unixtime|_ms)$/;

/** The text with the plain fields that were not read, so that an amount beside a text is not lost. */
function fieldsText(text: string, value: Fields, read: readonly (string | undefined)[]): string {
  const listed = Object.entries(value).flatMap(([key, held]) => {
    if (read.includes(key) || identifiers.test(key)) return [];
    if (typeof held === "number" || (typeof held === "string" && held !== "")) return [`${key}: ${held}`];
    // a photo or a poll is all that a message without text has to say
    return text === "" && held !== null && typeof held === "object" && Object.keys(held).length > 0 ? [key] : [];
  });
  if (listed.length === 0) return text;
  return text === "" ? `[${listed.join(", ")}]` : `${text} (${listed.join(", ")})`;
}
