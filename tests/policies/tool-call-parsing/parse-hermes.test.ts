import { describe, expect, it } from "vitest";
import { parseHermes } from "../../../policies/tool-call-parsing/parse-hermes.ts";

const parse = (text: string) => parseHermes(text, { idPrefix: "c0001" });
const tagged = (body: string) => `<tool_call>${body}</tool_call>`;

describe("parse: what is written as it should be", () => {
  it("is read as it is, with the text around it kept", () => {
    const { text, calls } = parse(
      `Before.\n<tool_call>\n{"name": "memory_add", "arguments": {"title": "a", "content": "b"}}\n</tool_call>\nAfter.`,
    );
    expect(text).toBe("Before.\nAfter.");
    expect(calls).toEqual([
      { id: "c00010000", name: "memory_add", args: { title: "a", content: "b" }, error: null, repaired: false },
    ]);
  });

  it("keeps the order of several calls and numbers their ids", () => {
    const { calls } = parse(["a", "b", "c"].map((name) => tagged(`{"name":"${name}","arguments":{}}`)).join("\n"));
    expect(calls.map(({ id, name }) => [id, name])).toEqual([
      ["c00010000", "a"],
      ["c00010001", "b"],
      ["c00010002", "c"],
    ]);
  });

  it("takes tags inside a string for data", () => {
    const content = 'the tag </tool_call> ends a call, <tool_call>{"name":"x"} starts one';
    const { text, calls } = parse(
      `${tagged(JSON.stringify({ name: "memory_add", arguments: { title: "t", content } }))} done`,
    );
    expect(calls).toMatchObject([{ args: { title: "t", content }, repaired: false }]);
    expect(text).toBe("done");
  });

  it("takes prototype names for data", () => {
    const { calls } = parse(
      tagged('{"name":"memory_add","arguments":{"__proto__":{"title":"x"},"constructor":1,"title":"__proto__"}}'),
    );
    const args = calls[0]!.args!;
    expect(Object.keys(args)).toEqual(["__proto__", "constructor", "title"]);
    expect(Object.getPrototypeOf(args)).toBe(Object.prototype);
    expect(({} as { title?: string }).title).toBeUndefined();
  });

  it("gives plain text without tags back, trimmed", () => {
    expect(parse("  The user likes tea.\n")).toEqual({ text: "The user likes tea.", calls: [] });
  });
});

describe("repair: what can be read with certainty, and is counted", () => {
  const args = { title: "a" };
  it.each<[string, string]>([
    ["a trailing comma", tagged('{"name":"memory_add","arguments":{"title":"a",},}')],
    ["single quotes", tagged("{'name': 'memory_add', 'arguments': {'title': 'a'}}")],
    ["a code fence", tagged('```json\n{"name":"memory_add","arguments":{"title":"a"}}\n```')],
    ["arguments as JSON text", tagged('{"name":"memory_add","arguments":"{\\"title\\":\\"a\\"}"}')],
    ["parameters for arguments", tagged('{"name":"memory_add","parameters":{"title":"a"}}')],
    [
      "the native shape",
      tagged('{"type":"function","function":{"name":"memory_add","arguments":"{\\"title\\":\\"a\\"}"}}'),
    ],
    ["words before the object", tagged('Calling: {"name":"memory_add","arguments":{"title":"a"}}')],
    ["the name before the arguments", tagged('memory_add({"title":"a"})')],
    ["a bracket too many", tagged('{"name":"memory_add","arguments":{"title":"a"}}}')],
    ["a bracket too few", tagged('{"name":"memory_add","arguments":{"title":"a"}')],
    ["a comment", tagged('{"name":"memory_add", /* add */ "arguments":{"title":"a"}}')],
    ["no closing tag", '<tool_call>{"name":"memory_add","arguments":{"title":"a"}}'],
    ["no closing tag and no closing brackets", '<tool_call>{"name":"memory_add","arguments":{"title":"a"'],
    ["no opening tag", '{"name":"memory_add","arguments":{"title":"a"}}</tool_call>'],
    ["a closing tag without its end", '<tool_call>{"name":"memory_add","arguments":{"title":"a"}}</tool_call'],
    ["a closing tag that was cut in two", '<tool_call>{"name":"memory_add","arguments":{"title":"a"}}</tool_ca'],
    ["a closing tag with a blank", '<tool_call>{"name":"memory_add","arguments":{"title":"a"}}</tool_call >'],
    ["half a closing tag alone", '{"name":"memory_add","arguments":{"title":"a"}}</tool_c'],
    ["an opening tag without its end", '<tool_call {"name":"memory_add","arguments":{"title":"a"}}</tool_call>'],
    ["an attribute", '<tool_call id="1">{"name":"memory_add","arguments":{"title":"a"}}</tool_call>'],
    ["a list of one", tagged('[{"name":"memory_add","arguments":{"title":"a"}}]')],
    [
      "a key named twice, of which the last counts",
      tagged('{"name":"memory_add","arguments":{"title":"b","title":"a"}}'),
    ],
  ])("%s", (_name, text) => {
    const { calls, text: rest } = parse(text);
    expect(calls).toEqual([{ id: "c00010000", name: "memory_add", args, error: null, repaired: true }]);
    expect(rest).toBe("");
  });

  it("Python literals, raw line breaks, stray quotation marks and control characters in strings", () => {
    expect(parse(tagged("{'name':'x','arguments':{'a':True,'b':None}}")).calls[0]!.args).toEqual({ a: true, b: null });
    expect(parse(tagged('{"name":"x","arguments":{"a":"one\ntwo"}}')).calls[0]!.args).toEqual({ a: "one\ntwo" });
    expect(parse(tagged('{"name":"x","arguments":{"a":"she said "hi" to me"}}')).calls[0]!.args).toEqual({
      a: 'she said "hi" to me',
    });
    expect(parse(tagged('{"name":"x","arguments":{"a":"nul \u0000 bell \u0007"}}')).calls[0]!.args).toEqual({
      a: "nul \u0000 bell \u0007",
    });
  });

  it("several calls in one tag, as a list or one after the other", () => {
    const both = '{"name":"a","arguments":{}}';
    for (const body of [`[${both},${both}]`, `${both}\n${both}`, `{"tool_calls":[${both},${both}]}`])
      expect(parse(tagged(body)).calls.map(({ name, repaired }) => [name, repaired])).toEqual([
        ["a", true],
        ["a", true],
      ]);
  });

  it("calls without arguments get what stands beside the name, which may be nothing", () => {
    expect(parse(tagged('{"name":"memory_add","title":"a"}')).calls).toMatchObject([
      { args: { title: "a" }, repaired: true },
    ]);
    expect(parse(tagged('{"name":"memory_list"}')).calls).toMatchObject([{ args: {}, repaired: true }]);
  });

  it("arguments that are an empty text are none, as natively; a tool that needs some will say so", () => {
    expect(parse(tagged('{"name":"memory_list","arguments":" "}')).calls).toMatchObject([
      { name: "memory_list", args: {}, error: null, repaired: true },
    ]);
  });

  it("a plural tag around the calls is no call of its own", () => {
    const { calls, text } = parse(`<tool_calls>${tagged('{"name":"a","arguments":{}}')}</tool_calls>`);
    expect(calls).toMatchObject([{ name: "a", repaired: false }]);
    expect(text).toBe("");
  });

  it("text after an unclosed but complete call stays text", () => {
    expect(parse('<tool_call>{"name":"a","arguments":{}} and then').text).toBe("and then");
  });
});

describe("reject: one call with a reason, never silence, never text", () => {
  it.each<[string, string, RegExp]>([
    ["an empty tag", tagged(""), /it is empty/],
    ["an opening tag alone", "<tool_call>", /it is empty/],
    ["a tag that the end cut in two", "The core. <tool_ca", /it is empty/],
    ["words", tagged("memory_list please"), /no JSON object: "memory_list please"/],
    ["a string", tagged('"memory_list"'), /no JSON object/],
    ["a loose word in brackets", tagged("{memory_list"), /not valid JSON/],
    ["an empty list", tagged("[]"), /list of calls is empty/],
    ["a list of words", tagged('["memory_list"]'), /got a text/],
    ["no name", tagged('{"arguments":{}}'), /no "name"/],
    ["a name that is no text", tagged('{"name":5,"arguments":{}}'), /no "name"/],
    ["arguments that are a list", tagged('{"name":"a","arguments":[]}'), /a list/],
    ["arguments that are null", tagged('{"name":"a","arguments":null}'), /null/],
    ["arguments that are another text", tagged('{"name":"a","arguments":"tea"}'), /not a JSON object/],
    [
      "a string that was cut off",
      '<tool_call>{"name":"memory_update","arguments":{"title":"a","content":"the first half',
      /cut off/,
    ],
    [
      "a string that was cut off after a bracket",
      '<tool_call>{"name":"memory_update","arguments":{"title":"a","content":"use {x}',
      /cut off/,
    ],
  ])("%s", (_name, text, reason) => {
    const { calls, text: rest } = parse(text);
    expect(calls).toHaveLength(1);
    expect(calls[0]).toMatchObject({ args: null, repaired: false, error: expect.stringMatching(reason) });
    expect(rest).toBe(text.startsWith("The core.") ? "The core." : "");
  });

  it("names the tool that a broken call was meant for", () => {
    expect(parse('<tool_call>{"name": "memory_add", "arguments": {"title": "half').calls[0]!.name).toBe("memory_add");
  });

  it("each opening tag counts, also one that was doubled", () => {
    const { calls } = parse('<tool_call><tool_call>{"name":"a","arguments":{}}</tool_call></tool_call>');
    expect(calls.map(({ name, error }) => [name, error === null])).toEqual([
      ["", false],
      ["a", true],
    ]);
  });

  it("a broken call does not swallow the next one", () => {
    const { calls } = parse(
      `<tool_call>{"name":"a","arguments":{"title":"x}}</tool_call>\n${tagged('{"name":"b","arguments":{}}')}`,
    );
    expect(calls).toHaveLength(2);
    expect(calls[1]).toMatchObject({ name: "b", args: {}, repaired: false });
  });

  it("what stands on both sides of a call cannot make a tag together", () => {
    expect(parse('<tool<tool_call>{"name":"a","arguments":{}}</tool_call>_call>{"name":"b"}').calls).toHaveLength(1);
    expect(parse('<tool<tool_call>{"name":"a","arguments":{}}</tool_call>').text).toBe("");
  });

  it("a stray closing tag goes; the text before it stays", () => {
    expect(parse("The user likes tea.</tool_call>")).toEqual({ text: "The user likes tea.", calls: [] });
    expect(parse("So the answer is \\boxed{5}.</tool_call>").text).toBe("So the answer is \\boxed{5}.");
  });

  it("nesting beyond 64 levels and lists beyond 64 calls are refused in words", () => {
    const deep = (levels: number) =>
      tagged(`{"name":"a","arguments":{"x":${"[".repeat(levels)}${"]".repeat(levels)}}}`);
    expect(parse(deep(60)).calls[0]!.error).toBeNull();
    expect(parse(deep(100_000)).calls).toMatchObject([
      { name: "a", args: null, error: expect.stringMatching(/nested deeper than 64/) },
    ]);
    const { calls } = parse(tagged(`[${Array(1_000).fill('{"name":"a","arguments":{}}').join(",")}]`));
    expect(calls).toHaveLength(65);
    expect(calls.at(-1)!.error).toMatch(/936 more calls/);
  });
});
