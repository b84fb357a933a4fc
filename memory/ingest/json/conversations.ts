/** Finds the conversations in a JSON value, wherever an export puts them. */
import { isRecord, jsonText } from "./content-text.ts";
import { undoDoubleEncoding } from "./double-encoding.ts";
import { type Fields, type JsonMessage, jsonMessage } from "./json-message.ts";

export interface Conversation {
  readonly title: string | null;
  readonly messages: readonly JsonMessage[];
}

/**
 * In file order; empty when the value holds no messages. `leftOut` names the fields beside them that were not read.
 * Walks by recursion: the value must not nest deeply (json-depth.ts).
 */
export function findConversations(
  value: unknown,
  people?: ReadonlyMap<string, string>,
): { conversations: Conversation[]; leftOut: string[] } {
  const conversations: Conversation[] = [];
  const leftOut = new Set<string>();

  const search = (held: unknown, title: string | null): void => {
    if (Array.isArray(held)) {
      const messages = messageList(held, people);
      if (messages !== null) conversations.push({ title, messages });
      else for (const item of held) search(item, title);
    } else if (isRecord(held)) searchRecord(held, title);
  };

  const searchRecord = (held: Fields, title: string | null): void => {
    const single = jsonMessage(held, people);
    if (single?.certain) {
      conversations.push({ title, messages: [single] });
      return;
    }
    const ownTitle = [held.title, held.name, held.subject].find((name) => typeof name === "string" && name !== "");
    const inner = typeof ownTitle === "string" ? undoDoubleEncoding(ownTitle) : title;
    const thread = treeMessages(held, people);
    if (thread !== null) {
      conversations.push({ title: inner, messages: thread });
      return;
    }
    const before = conversations.length;
    const unread: string[] = [];
    for (const [key, item] of Object.entries(held)) {
      const count = conversations.length;
      if (item !== null && typeof item === "object") search(item, inner);
      const isRead =
        conversations.length > count || item === ownTitle || (key === "system" && typeof item === "string");
      const day = held[`${key}_date_time`];
      if (typeof day === "string") dateConversations(conversations, count, day);
      if (!isRead && !isEmpty(item)) unread.push(key);
    }
    const found = conversations[before];
    if (found === undefined) return;
    for (const key of unread) if (!/_date_time$/.test(key)) leftOut.add(key);
    // Anthropic requests keep the system prompt beside the messages
    if (typeof held.system === "string" && Array.isArray(held.messages)) {
      const system: JsonMessage = { speaker: "system", text: held.system, time: null, certain: true };
      conversations[before] = { ...found, messages: [system, ...found.messages] };
    }
  };

  search(value, null);
  return { conversations, leftOut: [...leftOut] };
}

/** A list at least half of which are messages; other items are kept as compact JSON, replies follow what they answer. */
function messageList(items: readonly unknown[], people?: ReadonlyMap<string, string>): JsonMessage[] | null {
  const read = items.map((item) => jsonMessage(item, people));
  const count = read.filter((message) => message !== null).length;
  if (count === 0 || count * 2 < items.length) return null;
  return items.flatMap((item, index) => {
    const message = read[index]!;
    if (message === null)
      return [{ speaker: null, text: typeof item === "string" ? item : jsonText(item), time: null, certain: false }];
    const replies = isRecord(item) ? [item.replies, item.comments, item.children] : [];
    return [message, ...replies.flatMap((list) => (Array.isArray(list) ? (messageList(list, people) ?? []) : []))];
  });
}

/** ChatGPT exports: messages in a tree by id; the branch that ends in `current_node` is what was last seen. */
function treeMessages(held: Fields, people?: ReadonlyMap<string, string>): JsonMessage[] | null {
  const { mapping, current_node: current } = held;
  if (!isRecord(mapping) || typeof current !== "string") return null;
  const branch: JsonMessage[] = [];
  const seen = new Set<string>();
  for (let id: unknown = current; typeof id === "string" && !seen.has(id); ) {
    seen.add(id);
    const node: unknown = Object.hasOwn(mapping, id) ? mapping[id] : null;
    if (!isRecord(node)) break;
    const message = jsonMessage(node.message, people);
    if (message !== null && message.text !== "") branch.push(message);
    id = node.parent;
  }
  return branch.length === 0 ? null : branch.reverse();
}

/** LoCoMo keeps a session's date beside its list: `session_1`, `session_1_date_time`. */
function dateConversations(conversations: Conversation[], from: number, day: string): void {
  for (let index = from; index < conversations.length; index++) {
    const { title, messages } = conversations[index]!;
    conversations[index] = { title, messages: messages.map((message) => ({ ...message, time: message.time ?? day })) };
  }
}

const isEmpty = (item: unknown): boolean =>
  item === null || item === "" || (typeof item === "object" && Object.keys(item).length === 0);
