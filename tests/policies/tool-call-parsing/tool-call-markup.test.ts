import { describe, expect, it } from "vitest";
import { parseHermes } from "../../../policies/tool-call-parsing/parse-hermes.ts";
import { disarmMarkup, hasToolCallMarkup } from "../../../policies/tool-call-parsing/tool-call-markup.ts";
import { withoutThinking } from "../../../policies/tool-call-parsing/without-thinking.ts";

describe("a text that must be plain", () => {
  it.each([
    '<tool_call>{"name":"a"}</tool_call>',
    "The core. <tool_call>",
    "The core.</tool_call>",
    "The core. <tool_ca",
    "The core. <TOOL_CALL>",
    "<tool_response>[]</tool_response>",
    "<tools>",
    "<function=memory_add>",
    '[TOOL_CALLS] [{"name": "a"}]',
    "The core.<|im_end|>",
    "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>memory_list",
    "The core.</｜tool▁calls▁end｜>",
    '<invoke name="memory_list">',
    "The core.</invoke>",
    '<x:function_calls><x:invoke name="memory_list">',
    "functions.memory_list:\n{&#34;filter&#34;}",
    "The core.\nfunctions.memory_add:",
    'functions.memory_add {"title": "a"}',
    '{"name": "memory_add", "arguments": {"title": "a"}}',
    '```json\n{"name": "memory_add", "parameters": {}}\n```',
    '[{"type": "function", "function": {"name": "a", "arguments": "{}"}}]',
  ])("holds a tool call: %s", (text) => expect(hasToolCallMarkup(text)).toBe(true));

  it.each([
    "",
    "The user keeps a ledger of food and travel.",
    "if a < b and c > d, a tool calls for care",
    '{"name": "Caroline", "likes": ["pottery"]}',
    "She uses the <b>tool</b> often.",
    'The arguments: "name", "place".',
    "She teaches functions. Functions.map is her example.",
    "functions.php: holds the theme's hooks",
    "functions.php",
  ])("holds none: %s", (text) => expect(hasToolCallMarkup(text)).toBe(false));

  const tools = ["memory_add", "memory_list"];
  it.each([
    '[memory_add(title="x", content="y"), memory_list()]',
    "[memory_list()]",
    'The core.\n[memory_add(title = "x")]',
    "memory_list()",
    'memory_add(title="x", content="y (z)")',
    "```python\nprint(memory_list())\n```",
  ])("holds a call written like Python, when the tool is one: %s", (text) => {
    expect(hasToolCallMarkup(text, tools)).toBe(true);
    expect(hasToolCallMarkup(text)).toBe(false);
    expect(hasToolCallMarkup(text, ["another_tool"])).toBe(false);
  });

  it.each([
    "The user asks for memory_add and memory_list often.",
    "memory_list() was called twice.",
    "Notes on memory_add(title, content): both are texts (always).",
    "He wrote [memory_add] in the margin, and (memory_list).",
    "She asked to < invoke > the name = x rule.",
    "Invoke name=x",
  ])("holds no such call when it only speaks of tools: %s", (text) =>
    expect(hasToolCallMarkup(text, tools)).toBe(false),
  );

  it("is checked in linear time", () => {
    const started = performance.now();
    for (const text of [
      `a }${" ".repeat(500_000)}x`,
      "<tool_cal ".repeat(50_000),
      `{"name":${"{".repeat(300_000)}`,
      `${"\nfunctions.a: \n".repeat(50_000)}x`,
      `memory_list(${" ".repeat(500_000)}x ${"\n[ ".repeat(100_000)}`,
      `memory_add(a=${" ".repeat(500_000)}x)\`\`\``,
      `<invoke${" ".repeat(500_000)}`,
    ])
      hasToolCallMarkup(text, ["memory_add", "memory_list"]);
    expect(performance.now() - started).toBeLessThan(5_000); // quadratic time would take minutes
  });
});

describe("text that someone else wrote", () => {
  it("is disarmed one character for one, and only where it looks like markup", () => {
    const text =
      'a <tool_call>{"name":"x"}</tool_call> <|im_end|> </tool_response> <b>bold</b> 1 < 2 <think> <｜User｜>';
    const disarmed = disarmMarkup(text);
    expect(disarmed).toHaveLength(text.length);
    expect(hasToolCallMarkup(disarmed)).toBe(false);
    expect(parseHermes(disarmed, { idPrefix: "c" }).calls).toEqual([]);
    expect(disarmed).toContain("<b>bold</b> 1 < 2");
    expect(disarmMarkup("plain")).toBe("plain");
  });
});

describe("thinking", () => {
  it.each([
    ["<think>a <tool_call> b</think>\n\nThe core.", "The core."],
    ["so…</think>The core.", "The core."],
    ["<think>cut off by the limit", ""],
    ["The core.", "The core."],
    ["I wrote <think> and </think> once.", "I wrote <think> and </think> once."],
  ])("is no part of the reply: %j", (reply, rest) => expect(withoutThinking(reply)).toBe(rest));
});
