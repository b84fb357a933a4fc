import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import { ScriptedChatModel, type ScriptedTurn, scriptedPolicy } from "../../policies/scripted-chat-model.ts";
import { policyContract } from "../contracts/policy.ts";
import { memoryRequest, memoryTools, request } from "./requests.ts";

policyContract("a scripted policy", async () => ({
  policy: scriptedPolicy({
    name: "two steps",
    script: ({ turn, tools }) =>
      turn === 0 && tools.size > 0
        ? { text: "Looking.", calls: [{ name: "memory_list", args: { filter: "a" } }] }
        : { text: "done" },
  }),
}));

describe("a script", () => {
  it("sees the prompt, the tools, the seed, the room, and what its calls brought", async () => {
    const turns: ScriptedTurn[] = [];
    const policy = scriptedPolicy({
      name: "s",
      script: (turn) => {
        turns.push(turn);
        return turn.turn === 0
          ? {
              calls: [
                { name: "memory_list", args: {} },
                { name: "memory_add", args: { title: "a" } },
              ],
            }
          : { text: "done" };
      },
    });
    const opening = memoryRequest("the chunk", "the core", { seed: 3, maxTokens: 50 });
    const { message, calls } = await policy.sample(opening);
    const messages = [
      ...opening.messages,
      message,
      new ToolMessage({ tool_call_id: calls[0]!.id, content: "[]" }),
      new HumanMessage("last turn"),
    ];
    await policy.sample({ ...opening, messages, tools: [] });
    expect(turns[0]).toMatchObject({ turn: 0, seed: 3, maxTokens: 50, exchanges: [] });
    expect([...turns[0]!.tools]).toEqual(memoryTools.map((tool) => tool.function.name));
    expect(turns[0]!.prompt).toContain("<chunk>\nthe chunk\n</chunk>");
    expect(turns[1]!.prompt).toBe(turns[0]!.prompt);
    expect(turns[1]!.tools.size).toBe(0);
    expect(turns[1]!.exchanges).toEqual([
      { id: calls[0]!.id, name: "memory_list", args: {}, observation: "[]" },
      { id: calls[1]!.id, name: "memory_add", args: { title: "a" }, observation: null },
    ]);
  });

  it("is recorded: the last turns with what was shown, and no more than asked for", async () => {
    const policy = scriptedPolicy({ name: "s", script: ({ seed }) => ({ text: `reply ${seed}` }), remember: 3 });
    for (let seed = 0; seed < 10; seed++) await policy.sample(request("hello", { seed }));
    expect(policy.shown().map(({ seed, reply }) => [seed, reply.text])).toEqual([
      [7, "reply 7"],
      [8, "reply 8"],
      [9, "reply 9"],
    ]);
    expect(policy.shown()[0]!.messages.map((message) => message.text)).toEqual(["You keep a memory.", "hello"]);
  });

  it("may play a broken provider by returning a whole message", async () => {
    const policy = scriptedPolicy({
      name: "s",
      script: () =>
        new AIMessage({ content: "", invalid_tool_calls: [{ id: "x", name: "memory_add", args: "{", error: "bad" }] }),
    });
    const { calls, text } = await policy.sample(memoryRequest());
    expect(text).toBe("");
    expect(calls).toMatchObject([{ id: "x", args: null }]);
  });
});

describe("as a LangChain chat model", () => {
  const model = new ScriptedChatModel({
    script: ({ tools, seed }) => ({
      text: `seed ${seed}, `.repeat(20),
      calls: [...tools].map((name) => ({ name, args: { a: "\u2028" } })),
    }),
  });
  const bound = model.bindTools([...memoryTools]);

  it("invokes and streams to the same message", async () => {
    const invoked = await bound.invoke([new HumanMessage("x")], { seed: 4 });
    let streamed = null;
    let pieces = 0;
    for await (const chunk of await bound.stream([new HumanMessage("x")], { seed: 4 })) {
      streamed = streamed === null ? chunk : streamed.concat(chunk);
      pieces++;
    }
    expect(pieces).toBeGreaterThan(2);
    expect(streamed!.text).toBe(invoked.text);
    expect(streamed!.tool_calls).toEqual(invoked.tool_calls);
    expect(invoked.tool_calls!.map((call) => call.id)).toEqual(["c00000000", "c00000001", "c00000002"]);
  });
});
