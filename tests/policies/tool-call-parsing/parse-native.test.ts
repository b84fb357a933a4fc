import { AIMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import { parseNative, textOf } from "../../../policies/tool-call-parsing/parse-native.ts";

const parse = (fields: ConstructorParameters<typeof AIMessage>[0], taken?: ReadonlySet<string>) =>
  parseNative(new AIMessage(fields), { idPrefix: "c0000", ...(taken ? { taken } : {}) });

describe("native calls", () => {
  it("keep the provider's order when LangChain parted the readable from the unreadable", () => {
    const raw = [
      { id: "1", type: "function" as const, function: { name: "a", arguments: "{}" } },
      { id: "2", type: "function" as const, function: { name: "b", arguments: "{broken" } },
      { id: "3", type: "function" as const, function: { name: "c", arguments: "{}" } },
    ];
    const { calls } = parse({
      content: "",
      additional_kwargs: { tool_calls: raw },
      tool_calls: [
        { id: "1", name: "a", args: {} },
        { id: "3", name: "c", args: {} },
      ],
      invalid_tool_calls: [{ id: "2", name: "b", args: "{broken", error: "bad" }],
    });
    expect(calls.map(({ id, name }) => id + name)).toEqual(["1a", "2b", "3c"]);
    expect(calls[1]!.args).toBeNull();
  });

  it("keep the order of content parts for providers that answer in parts", () => {
    const { calls, text } = parse({
      content: [
        { type: "thinking", thinking: "hm" },
        { type: "text", text: "Looking." },
        { type: "tool_use", id: "bad", name: "b", input: "{x" },
        { type: "tool_use", id: "good", name: "a", input: {} },
      ],
      tool_calls: [{ id: "good", name: "a", args: {} }],
      invalid_tool_calls: [{ id: "bad", name: "b", args: "{x", error: "bad" }],
    });
    expect(calls.map(({ name }) => name)).toEqual(["b", "a"]);
    expect(text).toBe("Looking.");
  });

  it("are read from tool_calls where the provider's list is not one of functions", () => {
    const message = new AIMessage({ content: "", tool_calls: [{ id: "1", name: "a", args: { x: 1 } }] });
    message.additional_kwargs = { tool_calls: [{ id: "1", name: "a" }] as never };
    expect(parseNative(message, { idPrefix: "c" }).calls).toMatchObject([{ id: "1", name: "a", args: { x: 1 } }]);
  });

  it("that are only in invalid_tool_calls, with empty content, are calls with an error", () => {
    const { calls, text } = parse({
      content: "",
      invalid_tool_calls: [{ id: "1", name: "memory_add", args: "{oops", error: "x" }],
    });
    expect(text).toBe("");
    expect(calls).toMatchObject([
      { id: "1", name: "memory_add", args: null, error: expect.stringContaining('got "{oops"') },
    ]);
  });

  it("are mended where that is safe", () => {
    const broken = { id: "1", name: "memory_add", args: '{"title": "a",}', error: "x" };
    expect(parse({ content: "", invalid_tool_calls: [broken] }).calls).toMatchObject([
      { args: { title: "a" }, repaired: true },
    ]);
    const twice = { id: "1", name: "memory_add", args: JSON.stringify('{"title":"a"}'), error: "x" };
    expect(parse({ content: "", invalid_tool_calls: [twice] }).calls).toMatchObject([
      { args: { title: "a" }, repaired: true },
    ]);
  });

  it.each([["tool_calls"], ["raw_tool_calls"]])(
    "that are no calls are unreadable ones in their place, and the good ones beside them stay (%s)",
    (key) => {
      const good = { id: "2", type: "function" as const, function: { name: "a", arguments: "{}" } };
      const message = new AIMessage({ content: "The core.", tool_calls: [{ id: "2", name: "a", args: {} }] });
      message.additional_kwargs = { [key]: [null, good, { id: "3", function: null }, "memory_list", { id: "5" }] };
      const { calls, unread } = parseNative(message, { idPrefix: "c" });
      expect(calls.map(({ name, args }) => [name, args])).toEqual([
        ["", null],
        ["a", {}],
        ["", null],
        ["", null],
        ["", null],
      ]);
      expect(calls.map(({ id }) => id).filter((id) => "235".includes(id))).toEqual(["2", "3", "5"]);
      expect(calls[0]!.error).toMatch(/^expected a call with a function's name and arguments, got "null"$/);
      expect(unread.map(({ text }) => text)).toEqual([
        "null",
        '{"id":"3","function":null}',
        "memory_list",
        '{"id":"5"}',
      ]);
    },
  );

  it("of the old form without a name are unreadable, not absent", () => {
    const message = new AIMessage("The core.");
    message.additional_kwargs = { function_call: { arguments: "{}" } as never };
    expect(parseNative(message, { idPrefix: "c" }).calls).toMatchObject([{ name: "", args: null }]);
  });

  it("with an empty or blank text for arguments have none, and count as repaired", () => {
    for (const args of ["", "  \n"])
      expect(
        parse({ content: "", invalid_tool_calls: [{ id: "1", name: "memory_list", args, error: "x" }] }).calls,
      ).toMatchObject([{ name: "memory_list", args: {}, error: null, repaired: true }]);
  });

  it("with arguments that LangChain let through although they are no object are errors", () => {
    for (const args of [null, [], "s", 3] as unknown as Record<string, unknown>[])
      expect(parse({ content: "", tool_calls: [{ id: "1", name: "a", args }] }).calls[0]).toMatchObject({ args: null });
  });

  it("without a name are errors", () => {
    expect(parse({ content: "", invalid_tool_calls: [{ id: "1", args: "{}", error: "x" }] }).calls).toMatchObject([
      { name: "", error: expect.stringMatching(/names no tool/) },
    ]);
  });

  it("without an id, or with one that was used, get a fresh one", () => {
    const call = { name: "a", args: {} };
    const { calls } = parse(
      {
        content: "",
        tool_calls: [
          call,
          { ...call, id: "x" },
          { ...call, id: "x" },
          { ...call, id: "old" },
          { ...call, id: "c00000000" },
        ],
      },
      new Set(["old"]),
    );
    const ids = calls.map(({ id }) => id);
    expect(ids[1]).toBe("x");
    expect(new Set([...ids, "old"]).size).toBe(6);
  });

  it("stated natively and again as text are one call; another in the text is one more", () => {
    const { calls } = parse({
      content: '<tool_call>{"name":"a","arguments":{}}</tool_call><tool_call>{"name":"b","arguments":{}}</tool_call>',
      tool_calls: [{ id: "1", name: "a", args: {} }],
    });
    expect(calls.map(({ name }) => name)).toEqual(["a", "b"]);
  });

  it("keep what an unreadable one said, cut", () => {
    const long = `{"content": "${"x".repeat(5_000)}`;
    const { unread, calls } = parse({
      content: "",
      invalid_tool_calls: [{ id: "1", name: "a", args: long, error: "x" }],
    });
    expect(unread).toEqual([{ id: "1", text: long.slice(0, 2_000) }]);
    expect(calls[0]!.error!.length).toBeLessThan(400);
  });
});

it("text is what the text parts say; null, numbers and thoughts say nothing", () => {
  expect(textOf({ content: "a" })).toBe("a");
  expect(textOf({ content: null })).toBe("");
  expect(
    textOf({ content: [{ type: "text", text: "a" }, "b", { type: "reasoning", text: "c" }, null, { type: "text" }] }),
  ).toBe("ab");
});
