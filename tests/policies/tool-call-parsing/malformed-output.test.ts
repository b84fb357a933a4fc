/** 100,000 malformed outputs: no crash, nothing vanishes, the same every time. Seeded, so a failure can be had again. */
import { AIMessage } from "@langchain/core/messages";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Rng, rng } from "../../../base/rng.ts";
import { historyMessage } from "../../../policies/history-message.ts";
import { parseBareCall } from "../../../policies/tool-call-parsing/parse-bare-call.ts";
import { parseHermes } from "../../../policies/tool-call-parsing/parse-hermes.ts";
import { parseNative } from "../../../policies/tool-call-parsing/parse-native.ts";
import { findCallTags } from "../../../policies/tool-call-parsing/tool-call-markup.ts";

const titles = [
  "2024-04-29 Dining",
  "__proto__",
  "constructor",
  "toString",
  "hasOwnProperty",
  "a\u0000b",
  "\ud83d",
  "\udc00x",
  "\u202eabc\u202c",
  "</tool_call>",
  "<tool_call>",
  "",
  " ",
  "「標題」",
  "'",
  '"',
  "\\",
];
const names = ["memory_add", "memory_update", "memory_delete", "memory_list", "__proto__", "", "tool'", "メモ"];

const wellFormed = (random: Rng): string => {
  const args: Record<string, unknown> = {
    title: random.pick(titles),
    content: `${random.pick(titles)} spent ${random.int(1, 999)}.50`,
  };
  if (random.next() < 0.2) args.top_k = random.pick([1, -1, 1e308, 0.5, null, true, [1], { a: {} }]);
  const call = JSON.stringify({ name: random.pick(names), arguments: args });
  return random.pick([
    `<tool_call>\n${call}\n</tool_call>`,
    `Some words first.\n<tool_call>${call}</tool_call>`,
    `<tool_call>${call}</tool_call> and after`,
  ]);
};

const snippets = [
  "<tool_call>",
  "</tool_call>",
  "<tool_calls>",
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
  "```json",
  "null",
  "True",
  "None",
  "<|im_end|>",
  "\u0000",
  "\ud800",
  "\udfff",
  "\u202e",
  "\u200f",
  '"name":',
  '"arguments":',
  "<think>",
  "</think>",
  "<tool_response>",
  "/*",
  "//",
  "NaN",
  '{"name":"memory_list","arguments":{}}',
];

const mutations: ((text: string, random: Rng) => string)[] = [
  (text, random) => text.slice(0, random.int(0, text.length)),
  (text, random) => text.slice(random.int(0, text.length)),
  (text, random) => remove(text, random, random.int(1, 6)),
  (text, random) => insert(text, random, random.pick(snippets)),
  (text, random) => insert(text, random, random.pick(snippets).repeat(random.int(2, 40))),
  (text) => text.replace(/"/g, "'"),
  (text) => text.replaceAll("</tool_call>", ""),
  (text) => text.replaceAll("<tool_call>", ""),
  (text) => text.replaceAll("arguments", "parameters"),
  (text) => text.replace("}}", ",}}"),
  (text) => text.replace(/\{"title":.*?\}/s, (args) => JSON.stringify(args)),
  (text) => text.replace('"title":', '"title":"first","title":'),
  (text, random) =>
    text.replace(/\{"title"/, `{"x":${"[".repeat(random.int(1, 200))}${"]".repeat(random.int(1, 200))},"title"`),
  (text, random) => text.replace(/\{"title":.*?\}/s, random.pick(["[]", "null", '""', "5", "true", "[{}]", '"s"'])),
  (text, random) => `${text}${wellFormed(random)}`,
  (text) => `<tool_call>${text}</tool_call>`,
  (text) => text.replace("{", "[{").replace("</tool_call>", "]</tool_call>"),
  (text) => text.toUpperCase(),
  (text) => JSON.stringify(text),
];

const remove = (text: string, random: Rng, count: number) => {
  const at = random.int(0, text.length);
  return text.slice(0, at) + text.slice(at + count);
};
const insert = (text: string, random: Rng, piece: string) => {
  const at = random.int(0, text.length);
  return text.slice(0, at) + piece + text.slice(at);
};

function malformed(random: Rng): string {
  let text = wellFormed(random);
  for (let k = random.int(1, 4); k > 0; k--) text = random.pick(mutations)(text, random);
  return text;
}

/** Opening tags that are not data, found by brute force: a tag inside a value that JSON.parse takes is data. */
function attempts(text: string): number {
  const tags = findCallTags(text);
  let count = 0;
  let cursor = 0;
  for (const tag of tags) {
    if (tag.start < cursor || !tag.opens || tag.plural) continue;
    count++;
    cursor = tag.end;
    for (;;) {
      const next = tags.find((one) => one.start >= cursor)?.start ?? text.length;
      const start = text.slice(cursor, next).search(/[{[]/);
      const end = start < 0 ? null : endOfValue(text, cursor + start);
      if (end === null) break;
      cursor = end;
    }
  }
  return count;
}

function endOfValue(text: string, start: number): number | null {
  for (const close of text.slice(start).matchAll(/[}\]]/g)) {
    try {
      JSON.parse(text.slice(start, start + close.index + 1));
      return start + close.index + 1;
    } catch {
      // not here
    }
  }
  return null;
}

function check(text: string): void {
  const { calls, text: rest } = parseHermes(text, { idPrefix: "c0000" });
  const opening = findCallTags(text).filter((tag) => tag.opens && !tag.plural).length;
  if (calls.length < opening && calls.length < attempts(text))
    throw new Error(`${calls.length} calls for ${opening} tags: ${JSON.stringify(text)}`);
  if (findCallTags(rest).length > 0) throw new Error(`tags are left in the text: ${JSON.stringify(text)}`);
  for (const call of calls) {
    if ((call.args === null) === (call.error === null))
      throw new Error(`neither arguments nor error: ${JSON.stringify(text)}`);
    if (call.args !== null && (Array.isArray(call.args) || typeof call.args !== "object"))
      throw new Error(`no object: ${JSON.stringify(text)}`);
    JSON.stringify(call.args);
  }
  if (new Set(calls.map((call) => call.id)).size !== calls.length)
    throw new Error(`ids repeat: ${JSON.stringify(text)}`);
}

describe("malformed outputs", () => {
  it("60,000 mutated calls: no crash, one call or more for every opening tag, no tag left in the text", () => {
    const random = rng(20261130, "malformed", "mutated");
    for (let k = 0; k < 60_000; k++) check(malformed(random));
  });

  it("20,000 outputs drawn piece by piece, shrunk to the smallest when one fails", () => {
    const piece = fc.oneof(
      fc.constantFrom(...snippets, ...titles),
      fc.string({ maxLength: 12, unit: "binary" }),
      fc.json({ maxDepth: 3 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 14 }), (pieces) => check(pieces.join(""))),
      { seed: 7, numRuns: 20_000 },
    );
  });

  it("the same output is read the same way every time", () => {
    const random = rng(1, "malformed", "deterministic");
    for (let k = 0; k < 2_000; k++) {
      const text = malformed(random);
      expect(parseHermes(text, { idPrefix: "c" })).toEqual(parseHermes(text, { idPrefix: "c" }));
    }
  });

  it("what is well formed is read without repair and comes back whole", () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string({ unit: "binary", maxLength: 20 }), fc.json({ maxDepth: 3 })),
        (dictionary) => {
          const args = JSON.parse(JSON.stringify(dictionary)) as Record<string, unknown>;
          const { calls, text } = parseHermes(
            `<tool_call>${JSON.stringify({ name: "memory_add", arguments: args })}</tool_call>`,
            { idPrefix: "c" },
          );
          expect(calls).toEqual([{ id: "c0000", name: "memory_add", args, error: null, repaired: false }]);
          expect(text).toBe("");
        },
      ),
      { seed: 8, numRuns: 500 },
    );
  });

  it("20,000 native messages: every call answered for, every id its own, a history that can be sent", () => {
    const random = rng(20261130, "malformed", "native");
    for (let k = 0; k < 20_000; k++) {
      const raw = Array.from({ length: random.int(1, 3) }, (_, i) => ({
        id: random.pick(["call_0", `call_${i}`, "", undefined]) as string,
        type: "function" as const,
        function: { name: random.pick(names), arguments: argumentText(random) },
      }));
      const message = new AIMessage({ content: random.next() < 0.3 ? malformed(random) : "", invalid_tool_calls: [] });
      message.additional_kwargs = { tool_calls: raw };
      const { calls, unread } = parseNative(message, { idPrefix: "c0003" });
      if (calls.length < raw.length) throw new Error(`calls vanished: ${JSON.stringify(raw)}`);
      if (new Set(calls.map((call) => call.id)).size !== calls.length)
        throw new Error(`ids repeat: ${JSON.stringify(raw)}`);
      const sent = historyMessage(message, { content: "", calls, unread });
      for (const [i, call] of (sent.tool_calls ?? []).entries()) {
        const json = JSON.stringify(call.args);
        if (
          call.id !== calls[i]!.id ||
          !/^[\w-]{1,64}$/.test(call.name) ||
          /\\ud[89a-f]/.test(json.replaceAll("\\\\", ""))
        )
          throw new Error(`cannot be sent: ${JSON.stringify(call)}`);
      }
    }
  });

  it("bare JSON is taken for a call only when it names a known tool", () => {
    const random = rng(20261130, "malformed", "bare");
    for (let k = 0; k < 5_000; k++) {
      const text = malformed(random).replace(/<\/?tool_calls?>/gi, "");
      for (const call of parseBareCall(text, { tools: ["memory_add"], idPrefix: "c" }))
        expect(call).toMatchObject({ name: "memory_add", error: null, repaired: true });
    }
  });

  it.each<[string, string]>([
    [
      "a megabyte of argument",
      `<tool_call>${JSON.stringify({ name: "a", arguments: { content: "x".repeat(1_000_000) } })}</tool_call>`,
    ],
    [
      "a megabyte of argument that is cut off",
      `<tool_call>{"name":"a","arguments":{"content":"${"x".repeat(1_000_000)}`,
    ],
    [
      "a megabyte of argument with a comma too many",
      `<tool_call>{"name":"a","arguments":{"content":"${"x".repeat(1_000_000)}",}}</tool_call>`,
    ],
    [
      "100,000 brackets, closed",
      `<tool_call>{"name":"a","arguments":${"[".repeat(100_000)}${"]".repeat(100_000)}}</tool_call>`,
    ],
    ["100,000 brackets, open", `<tool_call>${'{"a":'.repeat(100_000)}`],
    ["30,000 opening tags", "<tool_call>".repeat(30_000)],
    ["20,000 opening tags, each with a bracket and a quotation mark", '<tool_call>{"'.repeat(20_000)],
    [
      "quotation marks of both kinds, interleaved",
      `${"<tool_call>{'".repeat(10_000)}${'<tool_call>{"'.repeat(10_000)}`,
    ],
    ["300,000 empty objects in one tag", `<tool_call>${"{},".repeat(300_000)}`],
    ["40 calls of stray quotation marks", `<tool_call>{"a":"${'x"'.repeat(12_000)}",}</tool_call>`.repeat(40)],
    ["a megabyte of backslashes", `<tool_call>{"a":"${"\\".repeat(1_000_000)}`],
    ["tags without their end", "<tool_call ".repeat(100_000)],
    ["half-closed calls before stray closing tags", '{"name": "x</tool_call>'.repeat(10_000)],
  ])("%s is read in time that grows with its length", (_name, text) => {
    const started = performance.now();
    const { calls } = parseHermes(text, { idPrefix: "c0000" });
    expect(calls.length).toBeGreaterThan(0);
    expect(performance.now() - started).toBeLessThan(20_000); // quadratic time would take many minutes
  });
});

const argumentText = (random: Rng): string => {
  const whole = JSON.stringify({ title: random.pick(titles), content: random.pick(titles) });
  return random.pick([
    whole,
    whole.slice(0, random.int(0, whole.length)),
    whole.replace("}", ",}"),
    whole.replace(/"/g, "'"),
    JSON.stringify(whole),
    "",
    "null",
    "[]",
    '"s"',
    "{",
    random.pick(snippets),
    insert(whole, random, random.pick(snippets)),
  ]);
};
