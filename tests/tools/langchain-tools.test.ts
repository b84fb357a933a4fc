import { AIMessage, ToolMessage } from "@langchain/core/messages";
import { convertToOpenAITool } from "@langchain/core/utils/function_calling";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import { describe, expect, it } from "vitest";
import { bankSize, entriesOf, getEntry } from "../../memory/bank.ts";
import { emptyMemory, type Memory } from "../../memory/memory.ts";
import { asLangChainTools } from "../../tools/langchain-tools.ts";
import { toolDefinition } from "../../tools/tool.ts";
import { toolsets, toolsOf } from "../../tools/toolsets.ts";
import { bankOf, smallSource } from "../support/worlds.ts";

const call = (name: string, args: Record<string, unknown>, id = `call_${name}`) => ({
  id,
  name,
  args,
  type: "tool_call" as const,
});

async function turn(node: ToolNode, ...calls: ReturnType<typeof call>[]): Promise<ToolMessage[]> {
  const { messages } = await node.invoke({ messages: [new AIMessage({ content: "", tool_calls: calls })] });
  return messages as ToolMessage[];
}

describe("a memory as LangChain tools", () => {
  it("providers see the same definitions as in our sessions", () => {
    for (const phase of ["memory", "qa"] as const) {
      const { tools } = asLangChainTools(emptyMemory, { phase, source: smallSource() });
      const shown = tools.map((tool) => convertToOpenAITool(tool));
      for (const [i, tool] of toolsOf(toolsets.paper, phase).entries()) {
        const { name, description, parameters } = toolDefinition(tool).function;
        expect(shown[i]!.function).toMatchObject({ name, description });
        expect(shown[i]!.function.parameters).toMatchObject(parameters);
      }
    }
  });

  it("work in LangGraph's prebuilt ToolNode, without any graph of ours", async () => {
    const memory: Memory = { core: "c", bank: bankOf({ a: "1" }) };
    const kit = asLangChainTools(memory);
    const node = new ToolNode([...kit.tools]);
    const [added] = await turn(node, call("memory_add", { title: "b", content: "2" }));
    expect(added).toBeInstanceOf(ToolMessage);
    expect(added!.content).toBe('Added "b".');
    expect(added!.tool_call_id).toBe("call_memory_add");
    expect(getEntry(kit.memory().bank, "b")?.content).toBe("2");
    expect(kit.memory().core).toBe("c");
    expect(bankSize(memory.bank)).toBe(1);
  });

  it("parallel calls lose no write, and see one another in their order", async () => {
    const kit = asLangChainTools(emptyMemory);
    const node = new ToolNode([...kit.tools]);
    const adds = Array.from({ length: 50 }, (_, i) => call("memory_add", { title: `t${i}`, content: "x" }, `c${i}`));
    const messages = await turn(node, ...adds, call("memory_list", { filter: "t4" }));
    expect([...entriesOf(kit.memory().bank)].map((entry) => entry.title)).toEqual(adds.map(({ args }) => args.title));
    expect(JSON.parse(messages[50]!.content as string).total).toBe(11);
    const twice = await Promise.all([
      kit.tools[0]!.invoke({ title: "same", content: "1" }),
      kit.tools[0]!.invoke({ title: "same", content: "2" }),
    ]);
    expect(twice[0]).toBe('Added "same".');
    expect(twice[1]).toContain("is taken");
  });

  it("a mistake of the model is an observation, with the same words as in our sessions", async () => {
    const kit = asLangChainTools(emptyMemory, { phase: "qa", source: smallSource() });
    const node = new ToolNode([...kit.tools]);
    const messages = await turn(
      node,
      call("memory_key_retrieve", {}, "1"),
      call("memory_key_retrieve", { title: "nope" }, "2"),
      call("memory_bm25_retrieve", { query: "observatory", top_k: "1" }, "3"),
      call("memory_list", { filter: null }, "4"),
    );
    expect(messages.map((message) => message.content)).toEqual([
      expect.stringContaining("Expected: memory_key_retrieve(title: string)."),
      'No entry is titled "nope". The bank is empty.',
      expect.stringContaining("observatory"),
      '{"titles":[],"total":0}',
    ]);
  });

  it("qa tools cannot write, and without a context there is nothing to search with", () => {
    const names = (options: Parameters<typeof asLangChainTools>[1]) =>
      asLangChainTools(emptyMemory, options).tools.map((tool) => tool.name);
    expect(names({ phase: "qa" })).toEqual(["memory_key_retrieve", "memory_list"]);
    expect(names({ phase: "qa", source: smallSource() })).toEqual([
      "memory_key_retrieve",
      "memory_list",
      "memory_bm25_retrieve",
      "memory_embedding_retrieve",
    ]);
    expect(names({ phase: "qa", toolset: toolsets.ledger })).toContain("ledger_aggregate");
  });

  it("onChange hears of every write and of nothing else; lineage names the session", async () => {
    const seen: number[] = [];
    const kit = asLangChainTools(emptyMemory, {
      session: "my-agent",
      onChange: ({ bank }) => seen.push(bankSize(bank)),
    });
    const tool = (name: string) => kit.tools.find((candidate) => candidate.name === name)!;
    await tool("memory_add").invoke({ title: "a", content: "1" });
    await tool("memory_list").invoke({});
    await tool("memory_add").invoke({ title: "a", content: "2" });
    await tool("memory_delete").invoke({ title: "a" });
    expect(seen).toEqual([1, 0]);
    await tool("memory_add").invoke({ title: "b", content: "1" });
    expect(getEntry(kit.memory().bank, "b")?.lineage.origin).toEqual({ chunk: null, session: "my-agent" });
  });

  it("a tool that breaks is told as an observation, and the next call works", async () => {
    const source = { ...smallSource(), bm25: async () => Promise.reject(new Error("index is gone")) };
    const kit = asLangChainTools(emptyMemory, { phase: "qa", source });
    const bm25 = kit.tools.find((candidate) => candidate.name === "memory_bm25_retrieve")!;
    expect(await bm25.invoke({ query: "a" })).toBe("The tool failed: index is gone");
    expect(await kit.tools[1]!.invoke({})).toBe('{"titles":[],"total":0}');
  });

  it("observations are cut at the limit that was given", async () => {
    const kit = asLangChainTools(
      { core: "", bank: bankOf(Array.from({ length: 100 }, (_, i) => [`title ${i}`, ""] as const)) },
      { phase: "qa", maxObservation: 300, countTokens: (text) => text.length },
    );
    const shown = JSON.parse(await kit.tools[1]!.invoke({}));
    expect(shown.left_out + shown.titles.length).toBe(100);
  });
});
