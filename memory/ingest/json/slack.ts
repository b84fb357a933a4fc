/** Slack exports: a JSON list per channel and day, ids for people, `<@U1>` and `<url|label>` in the text. */
import { isRecord } from "./content-text.ts";
import type { Fields, JsonMessage } from "./json-message.ts";

export function slackMessage(value: Fields, ts: string, people: ReadonlyMap<string, string>): JsonMessage {
  const profile = isRecord(value.user_profile) ? value.user_profile : {};
  const id = string(value.user) ?? string(value.bot_id);
  const known = id === null ? null : (people.get(id) ?? null);
  const speaker = known ?? string(profile.real_name) ?? string(value.username) ?? id;
  const attached = (Array.isArray(value.attachments) ? value.attachments : [])
    .filter(isRecord)
    .flatMap((attachment) => {
      const text = string(attachment.fallback) ?? string(attachment.text) ?? string(attachment.title);
      return text === null ? [] : [`[attached: ${plainText(text, people)}]`];
    });
  const files = (Array.isArray(value.files) ? value.files : [])
    .filter(isRecord)
    .map((file) => `[file: ${string(file.name) ?? "?"}]`);
  const text = [plainText(string(value.text) ?? "", people), ...attached, ...files]
    .filter((part) => part !== "")
    .join("\n");
  return { speaker, text, time: ts, certain: true };
}

/** `users.json` of an export as names by id; null when it is something else. */
export function slackPeople(value: unknown): ReadonlyMap<string, string> | null {
  if (!Array.isArray(value) || value.length === 0) return null;
  const people = new Map<string, string>();
  for (const user of value) {
    if (!isRecord(user) || typeof user.id !== "string" || !/^[UWB][A-Z0-9]{4,}$/.test(user.id)) return null;
    const profile = isRecord(user.profile) ? user.profile : {};
    const name =
      string(profile.display_name) ?? string(profile.real_name) ?? string(user.real_name) ?? string(user.name);
    if (name !== null) people.set(user.id, name);
  }
  return people;
}

function plainText(text: string, people: ReadonlyMap<string, string>): string {
  return text
    .replace(/<([^<>|]{1,2000})(?:\|([^<>]{0,2000}))?>/g, (_, target: string, label?: string) => {
      if (target.startsWith("@")) return `@${people.get(target.slice(1)) ?? label ?? target.slice(1)}`;
      if (target.startsWith("#") || target.startsWith("!")) return label || target;
      return label === undefined || label === "" || label === target ? target : `${label} (${target})`;
    })
    .replace(/&(amp|lt|gt);/g, (_, name: string) => (name === "amp" ? "&" : name === "lt" ? "<" : ">"));
}

const string = (value: unknown): string | null => (typeof value === "string" && value !== "" ? value : null);
