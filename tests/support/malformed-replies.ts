/** Replies as broken models write them: real calls of the paper's tools, with wrong arguments, and then damaged as text. Seeded. */
import type { Rng } from "../../base/rng.ts";

const words = [
  "2024-04-29 Dining",
  "count",
  "a",
  "__proto__",
  "constructor",
  "toString",
  "",
  " ",
  "\u0000",
  "\ud83d",
  "\udc00",
  "\u202eabc\u202c",
  "</tool_call>",
  "<tool_call>",
  "漢字",
  "'\"\\",
  "👩‍👩‍👧",
];
const oddities: unknown[] = [null, true, 0, -1, 1e308, 0.5, "5", "five", [], {}, [["deep"]], { title: "a" }, "NaN"];

const value = (random: Rng): unknown => (random.next() < 0.7 ? random.pick(words) : random.pick(oddities));

/** [name, arguments] of a call that may be right. */
function anyCall(random: Rng): { name: unknown; arguments: unknown } {
  const name = random.pick([
    "memory_add",
    "memory_update",
    "memory_delete",
    "memory_key_retrieve",
    "memory_list",
    "memory_bm25_retrieve",
    "ledger_aggregate",
    "memory_ad",
    "__proto__",
    "",
    "UpdateCore",
  ]);
  const args: Record<string, unknown> = {};
  for (const key of ["title", "content", "new_title", "filter", "query", "top_k", "operation", "group_by"])
    if (random.next() < 0.45) args[key] = value(random);
  if (random.next() < 0.05) args["constructor" as string] = value(random);
  return {
    name: random.next() < 0.97 ? name : random.pick(oddities),
    arguments: random.next() < 0.93 ? args : random.pick(oddities),
  };
}

const snippets = [
  "<tool_call>",
  "</tool_call>",
  "{",
  "}",
  "[",
  "]",
  '"',
  "'",
  "\\",
  ",",
  ":",
  "\n",
  "null",
  "None",
  "<|im_end|>",
  "\u0000",
  "\ud800",
  "\u202e",
  "<think>",
  "<tool_response>",
  "```json",
  '"name":',
  '"title":"twice",',
  "__proto__",
];

const damages: readonly ((text: string, random: Rng) => string)[] = [
  (text, random) => text.slice(0, random.int(0, text.length)),
  (text, random) => text.slice(random.int(0, text.length)),
  (text, random) => cut(text, random.int(0, text.length), random.int(1, 8), ""),
  (text, random) => cut(text, random.int(0, text.length), 0, random.pick(snippets)),
  (text, random) => cut(text, random.int(0, text.length), 0, random.pick(snippets).repeat(random.int(2, 30))),
  (text) => text.replaceAll("</tool_call>", ""),
  (text) => text.replaceAll("<tool_call>", ""),
  (text) => text.replaceAll('"', "'"),
  (text, random) => text.replace("{", "[".repeat(random.int(1, 300))),
  (text) => `<tool_call>${text}</tool_call>`,
  (text) => text + text,
];

const cut = (text: string, at: number, remove: number, put: string) =>
  text.slice(0, at) + put + text.slice(at + remove);

const asText = (call: object) => `<tool_call>\n${JSON.stringify(call)}\n</tool_call>`;

export function malformedReply(random: Rng): string {
  let text = random.pick(["", "", "Some words first.\n", "The core, perhaps. "]);
  for (let calls = random.int(1, 3); calls > 0; calls--) text += asText(anyCall(random));
  // a third only has wrong arguments, the rest is damaged as text too
  for (let more = random.int(0, 3); more > 0; more--) text = random.pick(damages)(text, random);
  return text;
}
