import { describe, expect, it } from "vitest";
import { getEntry } from "../../memory/bank.ts";
import { executeCalls } from "../../tools/execute-calls.ts";
import { type Phase, type Tool, toolDefinition } from "../../tools/tool.ts";
import { offerOf, toolsets, toolsOf, withoutSearch } from "../../tools/toolsets.ts";
import { toolsetContract } from "../contracts/toolset.ts";
import { bankOf, callOf, options, smallSource, worldOf } from "../support/worlds.ts";

interface Row {
  readonly types: Readonly<Record<string, string>>;
  readonly required: readonly string[];
}

/** Names, parameters and required lists as in tables 3 and 4 of the paper. */
const appendix: Readonly<Record<string, Row>> = {
  memory_add: { types: { title: "string", content: "string" }, required: ["title", "content"] },
  memory_update: {
    types: { title: "string", content: "string", new_title: "string" },
    required: ["title", "content"],
  },
  memory_delete: { types: { title: "string" }, required: ["title"] },
  memory_key_retrieve: { types: { title: "string" }, required: ["title"] },
  memory_list: { types: { filter: "string" }, required: [] },
  memory_bm25_retrieve: { types: { query: "string", top_k: "integer" }, required: ["query"] },
  memory_embedding_retrieve: { types: { query: "string", top_k: "integer" }, required: ["query"] },
};

const names = (phase: Phase, set: (typeof toolsets)[keyof typeof toolsets] = toolsets.paper) =>
  toolsOf(set, phase).map((tool) => tool.name);

describe("App. A: the tools of the paper", () => {
  it("T_mem writes and reads the bank, T_qa reads it and searches the raw context", () => {
    expect(names("memory")).toEqual([
      "memory_add",
      "memory_update",
      "memory_delete",
      "memory_key_retrieve",
      "memory_list",
    ]);
    expect(names("qa")).toEqual([
      "memory_key_retrieve",
      "memory_list",
      "memory_bm25_retrieve",
      "memory_embedding_retrieve",
    ]);
  });

  it("the optional toolsets differ only in what they add or leave out", () => {
    expect(names("qa", toolsets.bank)).toEqual(["memory_key_retrieve", "memory_list"]);
    expect(names("memory", toolsets.bank)).toEqual(names("memory"));
    for (const phase of ["memory", "qa"] as const)
      expect(names(phase, toolsets.ledger)).toEqual([...names(phase), "ledger_aggregate"]);
    expect(withoutSearch(toolsets.paper).tools).toEqual(toolsets.bank.tools);
    expect(withoutSearch(toolsets.bank)).toBe(toolsets.bank);
  });

  it.each(Object.entries(appendix))("%s has exactly the paper's parameters in its JSON schema", (name, row) => {
    const tool = toolsets.paper.tools.find((candidate) => candidate.name === name) as Tool;
    const definition = toolDefinition(tool);
    expect(definition.type).toBe("function");
    expect(definition.function.name).toBe(name);
    const parameters = definition.function.parameters as {
      type: string;
      properties: Record<string, { type: string; description: string }>;
      required: string[];
    };
    expect(parameters.type).toBe("object");
    expect(Object.fromEntries(Object.entries(parameters.properties).map(([key, { type }]) => [key, type]))).toEqual(
      row.types,
    );
    expect(parameters.required).toEqual(row.required);
    expect(Object.keys(parameters).sort()).toEqual(["properties", "required", "type"]);
  });

  it("schemas are made once per toolset and phase", () => {
    expect(offerOf(toolsets.paper, "qa")).toBe(offerOf(toolsets.paper, "qa"));
    expect(offerOf(toolsets.paper, "qa").definitions).toBe(offerOf(toolsets.paper, "qa").definitions);
    expect(offerOf(toolsets.paper, "qa")).not.toBe(offerOf(toolsets.paper, "memory"));
    expect(JSON.parse(offerOf(toolsets.paper, "qa").spec)).toEqual(offerOf(toolsets.paper, "qa").definitions);
  });
});

for (const toolset of Object.values(toolsets)) toolsetContract(toolset);

const run = async (name: string, args: Record<string, unknown>, world = worldOf(), phase: Phase = "memory") => {
  const { world: after, results } = await executeCalls(world, [callOf(name, args)], options({ phase }));
  return { ...results[0]!, after };
};

describe("memory_add", () => {
  it("stores a new title, exactly as written, attributed to who writes", async () => {
    const done = await run("memory_add", { title: "  Ada: job ", content: "painter" });
    expect(done.verdict).toBe("valid");
    expect(done.observation).toBe('Added "  Ada: job ".');
    expect(getEntry(done.after.bank, "  Ada: job ")).toMatchObject({
      content: "painter",
      version: 1,
      lineage: { origin: { chunk: 0, session: "s" } },
    });
    expect(done.writes).toMatchObject([
      { op: "add", before: null, after: { title: "  Ada: job ", content: "painter" } },
    ]);
  });

  it("a title that is taken is a miss, told as such, and changes nothing", async () => {
    const world = worldOf(bankOf({ a: "1" }));
    const done = await run("memory_add", { title: "a", content: "2" }, world);
    expect(done.verdict).toBe("miss");
    expect(done.observation).toContain('"a" is taken');
    expect(done.after.bank).toBe(world.bank);
    expect(done.writes).toEqual([]);
  });

  it("an empty content is stored, an empty title or one of more than 1,000 units is not", async () => {
    expect((await run("memory_add", { title: "a", content: "" })).verdict).toBe("valid");
    expect((await run("memory_add", { title: "", content: "x" })).verdict).toBe("invalid");
    expect((await run("memory_add", { title: "x".repeat(1_000), content: "x" })).verdict).toBe("valid");
    const long = await run("memory_add", { title: "x".repeat(1_001), content: "x" });
    expect(long).toMatchObject({ verdict: "invalid", writes: [] });
    expect(long.observation).toContain("title: ");
  });
});

describe("memory_update", () => {
  const world = () => worldOf(bankOf({ a: "1", b: "2" }));

  it("replaces the whole content and keeps id and place", async () => {
    const done = await run("memory_update", { title: "a", content: "new" }, world());
    expect(done).toMatchObject({ verdict: "valid", observation: 'Updated "a".' });
    expect(getEntry(done.after.bank, "a")).toMatchObject({ id: "e1", content: "new", version: 2 });
  });

  it("renames to a free title and says so", async () => {
    const done = await run("memory_update", { title: "a", content: "1", new_title: "c" }, world());
    expect(done).toMatchObject({ verdict: "valid", observation: 'Updated "a", now titled "c".' });
    expect(getEntry(done.after.bank, "a")).toBeUndefined();
    expect(getEntry(done.after.bank, "c")?.id).toBe("e1");
    const same = await run("memory_update", { title: "a", content: "1", new_title: "a" }, world());
    expect(same.observation).toBe('Updated "a".');
  });

  it("a missing title or a taken new title is a miss", async () => {
    expect((await run("memory_update", { title: "z", content: "1" }, world())).verdict).toBe("miss");
    const taken = await run("memory_update", { title: "a", content: "1", new_title: "b" }, world());
    expect(taken.verdict).toBe("miss");
    expect(taken.observation).toContain('"b" is taken');
  });
});

describe("memory_delete", () => {
  it("removes the entry, and only it", async () => {
    const done = await run("memory_delete", { title: "a" }, worldOf(bankOf({ a: "1", b: "2" })));
    expect(done).toMatchObject({ verdict: "valid", observation: 'Deleted "a".' });
    expect(done.writes).toMatchObject([
      { op: "delete", entry: "e1", before: { title: "a", content: "1" }, after: null },
    ]);
    expect(done.after.bank.size).toBe(1);
  });

  it("a missing title is a miss that names titles which come close", async () => {
    const done = await run("memory_delete", { title: "ada: job" }, worldOf(bankOf({ "Ada: job": "x", other: "y" })));
    expect(done.verdict).toBe("miss");
    expect(done.observation).toContain("Ada: job");
  });
});

describe("memory_key_retrieve", () => {
  it("gives the content back byte for byte and records which entry was read", async () => {
    const content = 'line one\n{"json": "<tag>"}\n\u0000\ud83d\udc69\u200d\ud83d\udc67';
    const done = await run("memory_key_retrieve", { title: "a" }, worldOf(bankOf({ a: content })), "qa");
    expect(done.observation).toBe(content);
    expect(done.reads).toEqual([{ kind: "entry", id: "e1", rank: 1, score: null }]);
  });

  it("a missing title is a miss: empty bank, close titles and none close are told apart", async () => {
    const miss = (bank: Record<string, string>, title: string) =>
      run("memory_key_retrieve", { title }, worldOf(bankOf(bank)), "qa");
    expect((await miss({}, "a")).observation).toBe('No entry is titled "a". The bank is empty.');
    expect((await miss({ "2024-04-29 Dining": "x" }, "2024-04-29 dining")).observation).toBe(
      'No entry is titled "2024-04-29 dining". Closest titles: ["2024-04-29 Dining"].',
    );
    expect((await miss({ qqqq: "x" }, "zzzz")).observation).toBe(
      'No entry is titled "zzzz". memory_list shows the titles.',
    );
    expect((await miss({ a: "x" }, "a".repeat(50_000))).observation.length).toBeLessThan(1_200);
  });
});

describe("memory_list", () => {
  const bank = bankOf({ "2024-04-29 Dining": "x", "2024-04-30 Transport": "y", Anna: "z" });

  it("lists titles in the order in which entries were created, as JSON", async () => {
    const done = await run("memory_list", {}, worldOf(bank));
    expect(JSON.parse(done.observation)).toEqual({
      titles: ["2024-04-29 Dining", "2024-04-30 Transport", "Anna"],
      total: 3,
    });
    expect(done.reads).toEqual([]);
  });

  it("a filter keeps the titles that contain it, case and all; an empty or null one keeps all", async () => {
    const titles = async (filter: unknown) =>
      JSON.parse((await run("memory_list", { filter }, worldOf(bank))).observation);
    expect(await titles("2024-04")).toEqual({ titles: ["2024-04-29 Dining", "2024-04-30 Transport"], total: 2 });
    expect(await titles("dining")).toEqual({ titles: [], total: 0 });
    expect((await titles("")).total).toBe(3);
    expect((await titles(null)).total).toBe(3);
  });

  it("a number given as filter is refused and poisons nothing", async () => {
    expect((await run("memory_list", { filter: 2024 }, worldOf(bank))).verdict).toBe("invalid");
    expect((await run("memory_add", { title: 2024, content: "x" }, worldOf(bank))).verdict).toBe("invalid");
    expect((await run("memory_list", { filter: "2024" }, worldOf(bank))).verdict).toBe("valid");
  });
});

describe("the searches over the raw context", () => {
  it.each(["memory_bm25_retrieve", "memory_embedding_retrieve"])(
    "%s ranks sub-chunks as JSON and records what it showed",
    async (name) => {
      const source = smallSource();
      const done = await run(name, { query: "the telescope at the observatory" }, worldOf(undefined, source), "qa");
      expect(done.verdict).toBe("valid");
      const { results } = JSON.parse(done.observation);
      expect(results[0]).toMatchObject({ rank: 1, chunk: 2 });
      expect(results[0].text).toContain("observatory");
      expect(done.reads[0]).toMatchObject({ kind: "sub-chunk", id: "c1.0", rank: 1, span: { chunk: 1 } });
      expect(done.reads).toHaveLength(results.length);
    },
  );

  it("show nothing of chunks that are not in memory yet", async () => {
    for (const name of ["memory_bm25_retrieve", "memory_embedding_retrieve"]) {
      const done = await run(name, { query: "train to Porto" }, worldOf(undefined, smallSource(), 1), "qa");
      expect(done.observation).not.toContain("Porto");
    }
  });

  it("top_k is 20 by default; more than there are, or than can be shown, is no mistake", async () => {
    const source = smallSource();
    const shown = async (args: object) =>
      JSON.parse(
        (await run("memory_bm25_retrieve", { query: "the", ...args }, worldOf(undefined, source), "qa")).observation,
      );
    expect((await shown({ top_k: 1 })).results).toHaveLength(1);
    expect((await shown({ top_k: 1_000_000 })).results.length).toBeGreaterThan(1);
    for (const top_k of [0, -1, 1.5])
      expect((await run("memory_bm25_retrieve", { query: "a", top_k }, worldOf(undefined, source), "qa")).verdict).toBe(
        "invalid",
      );
  });

  it("no match is an empty list, and no context is said in words", async () => {
    const none = await run("memory_bm25_retrieve", { query: "zzzz" }, worldOf(undefined, smallSource()), "qa");
    expect(JSON.parse(none.observation)).toEqual({ results: [] });
    const nowhere = await run("memory_bm25_retrieve", { query: "a" }, worldOf(), "qa");
    expect(nowhere).toMatchObject({ verdict: "valid", observation: "There is no raw context to search." });
  });
});
