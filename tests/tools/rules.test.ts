/** Rules 2–6 and 8 of decisions §5 as far as one turn's execution decides them; tests/nodes has them for whole sessions. */
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { entriesOf, getEntry } from "../../memory/bank.ts";
import { executeCalls, noRoom } from "../../tools/execute-calls.ts";
import { defineTool } from "../../tools/tool.ts";
import type { Toolset } from "../../tools/toolsets.ts";
import { toolsets } from "../../tools/toolsets.ts";
import { bankOf, callOf, options, worldOf } from "../support/worlds.ts";

const adding = (title: string) => callOf("memory_add", { title, content: "x" }, { id: title });

describe("rule 2: hard limits", () => {
  it("calls beyond the limit of a turn are not run, and each is told so", async () => {
    const calls = ["a", "b", "c", "d"].map(adding);
    const { world, results } = await executeCalls(worldOf(), calls, options({ maxCalls: 2 }));
    expect(results.map((result) => result.verdict)).toEqual(["valid", "valid", "refused", "refused"]);
    expect(results[2]!.observation).toBe(
      "Not run: at most 2 calls are taken per turn. Make it again in the next turn.",
    );
    expect([...entriesOf(world.bank)].map((entry) => entry.title)).toEqual(["a", "b"]);
  });

  it("all observations of a turn together never take more than their budget, whatever it is", async () => {
    const content = "0123456789".repeat(20);
    const world = worldOf(bankOf({ a: content }));
    const calls = Array.from({ length: 12 }, (_, i) =>
      callOf(i % 2 ? "memory_list" : "memory_key_retrieve", { title: "a" }),
    );
    for (let budget = 0; budget < 1_600; budget += 13) {
      const { results } = await executeCalls(world, calls, options({ budget }));
      expect(results).toHaveLength(12);
      const spent = results.reduce((sum, result) => sum + result.tokens, 0);
      expect(spent).toBe(results.reduce((sum, result) => sum + result.observation.length, 0));
      expect(spent).toBeLessThanOrEqual(budget);
    }
  });

  it("where an observation has no room, a short notice stands in for it, and nothing where that has none either", async () => {
    const title = "a title of some length ".repeat(5);
    const world = worldOf(bankOf([[title, "x"]]));
    const calls = Array.from({ length: 3 }, () => callOf("memory_list", {}));
    const first = JSON.stringify({ titles: [title], total: 1 }).length;
    const { results } = await executeCalls(world, calls, options({ budget: first + noRoom.length + 5 }));
    expect(results.map((result) => result.observation)).toEqual([expect.stringContaining("a title"), noRoom, ""]);
  });

  it("writes are done even where their observation has no room", async () => {
    const { world, results } = await executeCalls(worldOf(), [adding("a"), adding("b")], options({ budget: 0 }));
    expect([...entriesOf(world.bank)].map((entry) => entry.title)).toEqual(["a", "b"]);
    expect(results.map(({ verdict, observation, tokens }) => ({ verdict, observation, tokens }))).toEqual([
      { verdict: "valid", observation: "", tokens: 0 },
      { verdict: "valid", observation: "", tokens: 0 },
    ]);
  });

  it("one observation never takes more than its own limit", async () => {
    const { results } = await executeCalls(
      worldOf(bankOf({ a: "x".repeat(10_000) })),
      [callOf("memory_key_retrieve", { title: "a" })],
      options({ maxObservation: 200 }),
    );
    expect(results[0]!.tokens).toBeLessThanOrEqual(200);
    expect(results[0]!.tokens).toBeGreaterThan(150);
  });
});

describe("rule 3: nothing vanishes", () => {
  it("every call gets one observation, in order, under its own id", async () => {
    const calls = [
      adding("a"),
      callOf("", null, { id: "unreadable", error: "The arguments are not JSON." }),
      callOf("no_such_tool", {}, { id: "unknown" }),
      callOf("memory_add", { title: 5 }, { id: "wrong" }),
      adding("a2"),
    ];
    const { results } = await executeCalls(worldOf(), calls, options());
    expect(results.map((result) => result.call.id)).toEqual(["a", "unreadable", "unknown", "wrong", "a2"]);
    expect(results.map((result) => result.verdict)).toEqual(["valid", "invalid", "invalid", "invalid", "valid"]);
    for (const result of results) expect(result.observation).not.toBe("");
  });

  it("an unreadable call is told why", async () => {
    const { results } = await executeCalls(
      worldOf(),
      [callOf("", null, { error: "The arguments are not JSON: expected , at 12." }), callOf("memory_add", null)],
      options(),
    );
    expect(results[0]!.observation).toBe("The arguments are not JSON: expected , at 12.");
    expect(results[1]!.observation).toBe("This call could not be read. Write it again.");
  });

  it("a call that a person's edit left without arguments is unreadable, not a crash", async () => {
    const edited = { ...callOf("memory_add", {}), args: undefined as never };
    const { results } = await executeCalls(worldOf(), [edited], options());
    expect(results[0]!.verdict).toBe("invalid");
  });

  it("an unknown tool is told which tools there are", async () => {
    const { results } = await executeCalls(worldOf(), [callOf('say "hi"', {})], options());
    expect(results[0]!.observation).toBe(
      'There is no tool named "say \\"hi\\"". Tools you can use: memory_add, memory_update, memory_delete, memory_key_retrieve, memory_list.',
    );
  });

  it("wrong arguments are told what is wrong and what is expected", async () => {
    const observe = async (name: string, args: Record<string, unknown>, phase: "memory" | "qa" = "memory") =>
      (await executeCalls(worldOf(), [callOf(name, args)], options({ phase, toolset: toolsets.ledger }))).results[0]!;
    const missing = await observe("memory_add", { title: "a" });
    expect(missing.verdict).toBe("invalid");
    expect(missing.observation).toMatch(/^memory_add was not run\. content: .*expected string.*/);
    expect(missing.observation).toContain("Expected: memory_add(title: string, content: string).");
    const nulled = await observe("memory_add", { title: null, content: "x" });
    expect(nulled.observation).toContain("title: Invalid input: expected string, received null");
    expect((await observe("memory_bm25_retrieve", { query: ["a"] }, "qa")).observation).toContain(
      "Expected: memory_bm25_retrieve(query: string, top_k?: integer).",
    );
    expect((await observe("ledger_aggregate", { operation: "mean" })).observation).toContain(
      "ledger_aggregate(operation: sum | count | max | min, from?: string, to?: string, scenes?: string[], sub_scene?: string, group_by?: scene | sub_scene | date)",
    );
  });

  it("no call is done twice: a repeated add is told that the title is taken", async () => {
    const { world, results } = await executeCalls(worldOf(), [adding("a"), adding("a")], options());
    expect(results.map((result) => result.verdict)).toEqual(["valid", "miss"]);
    expect(world.bank.size).toBe(1);
  });

  it("calls of one turn see what earlier ones of it wrote", async () => {
    const { results } = await executeCalls(
      worldOf(),
      [
        adding("a"),
        callOf("memory_key_retrieve", { title: "a" }),
        callOf("memory_delete", { title: "a" }),
        adding("a"),
      ],
      options(),
    );
    expect(results.map((result) => result.verdict)).toEqual(["valid", "valid", "valid", "valid"]);
    expect(results[1]!.observation).toBe("x");
    expect(results[3]!.writes[0]!.entry).toBe("e2");
  });

  it("on a last turn no call is run and each is told so", async () => {
    const { world, results } = await executeCalls(
      worldOf(),
      [adding("a"), callOf("nope", {})],
      options({ refuse: "No tools." }),
    );
    expect(world.bank.size).toBe(0);
    expect(results.map(({ verdict, observation }) => [verdict, observation])).toEqual([
      ["refused", "No tools."],
      ["refused", "No tools."],
    ]);
  });
});

describe("rule 4: phase scope is enforced at execution", () => {
  it.each(["memory_add", "memory_update", "memory_delete"])(
    "%s is refused while a question is answered",
    async (name) => {
      const world = worldOf(bankOf({ a: "1" }));
      const { world: after, results } = await executeCalls(
        world,
        [callOf(name, { title: "a", content: "2" })],
        options({ phase: "qa" }),
      );
      expect(results[0]!.verdict).toBe("refused");
      expect(results[0]!.observation).toContain(`${name} cannot be used while a question is being answered.`);
      expect(results[0]!.observation).toContain("memory_bm25_retrieve");
      expect(after.bank).toBe(world.bank);
    },
  );

  it("a search of the raw context is refused while the memory is built", async () => {
    const { results } = await executeCalls(worldOf(), [callOf("memory_bm25_retrieve", { query: "a" })], options());
    expect(results[0]).toMatchObject({ verdict: "refused" });
    expect(results[0]!.observation).toContain("cannot be used while the memory is being built");
  });

  it("a tool that the toolset does not have at all is unknown, not refused", async () => {
    const { results } = await executeCalls(
      worldOf(),
      [callOf("memory_bm25_retrieve", { query: "a" })],
      options({ phase: "qa", toolset: toolsets.bank }),
    );
    expect(results[0]!.verdict).toBe("invalid");
  });
});

describe("rule 6: repairs are counted", () => {
  it("a call that had to be mended to be readable is repaired, not valid", async () => {
    const { results } = await executeCalls(worldOf(), [{ ...adding("a"), repaired: true }], options());
    expect(results[0]!.verdict).toBe("repaired");
  });

  it('a whole number given as text ("5") is read as a number, and counts as a repair', async () => {
    const search = async (top_k: unknown) =>
      (await executeCalls(worldOf(), [callOf("memory_bm25_retrieve", { query: "a", top_k })], options({ phase: "qa" })))
        .results[0]!.verdict;
    expect(await search(5)).toBe("valid");
    expect(await search("5")).toBe("repaired");
    expect(await search(" 5 ")).toBe("repaired");
    for (const bad of ["five", "5.5", "-5", "1e9", "", "0", true, [5]]) expect(await search(bad)).toBe("invalid");
  });

  it("an optional argument given as null counts as left out, and is no repair", async () => {
    const { results } = await executeCalls(
      worldOf(bankOf({ a: "1" })),
      [callOf("memory_update", { title: "a", content: "2", new_title: null }), callOf("memory_list", { filter: null })],
      options(),
    );
    expect(results.map((result) => result.verdict)).toEqual(["valid", "valid"]);
  });

  it("a repaired call that misses is a miss", async () => {
    const { results } = await executeCalls(
      worldOf(),
      [callOf("memory_delete", { title: "a" }, { repaired: true })],
      options(),
    );
    expect(results[0]!.verdict).toBe("miss");
  });
});

describe("rule 8: each call has exactly one verdict, and reads that miss are told apart from valid ones", () => {
  it("valid, miss, repaired, invalid and refused", async () => {
    const calls = [
      adding("a"),
      callOf("memory_key_retrieve", { title: "nope" }),
      { ...adding("b"), repaired: true },
      callOf("memory_add", {}),
      callOf("memory_bm25_retrieve", { query: "a" }),
    ];
    const { results } = await executeCalls(worldOf(), calls, options());
    expect(results.map((result) => result.verdict)).toEqual(["valid", "miss", "repaired", "invalid", "refused"]);
  });
});

describe("names of JavaScript's own are ordinary titles", () => {
  it.each(["__proto__", "constructor", "toString", "hasOwnProperty", "prototype", "valueOf"])("%s", async (title) => {
    const { world, results } = await executeCalls(
      worldOf(),
      [
        callOf("memory_key_retrieve", { title }),
        adding(title),
        callOf("memory_key_retrieve", { title }),
        callOf("memory_update", { title, content: "y" }),
        callOf("memory_list", { filter: title }),
      ],
      options(),
    );
    expect(results.map((result) => result.verdict)).toEqual(["miss", "valid", "valid", "valid", "valid"]);
    expect(getEntry(world.bank, title)?.content).toBe("y");
  });

  it("as argument names they are ignored like any other that the tool does not have", async () => {
    const args = JSON.parse('{"title":"a","content":"b","__proto__":{"title":"evil"},"constructor":1,"toString":null}');
    const { world, results } = await executeCalls(worldOf(), [callOf("memory_add", args)], options());
    expect(results[0]!.verdict).toBe("valid");
    expect([...entriesOf(world.bank)].map((entry) => entry.title)).toEqual(["a"]);
    expect(({} as Record<string, unknown>).title).toBeUndefined();
  });

  it("as tool names they are unknown tools", async () => {
    const { results } = await executeCalls(worldOf(), [callOf("__proto__", {}), callOf("constructor", {})], options());
    expect(results.map((result) => result.verdict)).toEqual(["invalid", "invalid"]);
  });
});

describe("a tool that breaks is the environment's failure, not the policy's mistake", () => {
  const broken = defineTool({
    name: "broken",
    description: "fails when it is run",
    schema: z.object({}),
    phases: ["memory"],
    kind: "read",
    run: async () => {
      throw new Error("the embedding service is down");
    },
  });
  const toolset: Toolset = { name: "broken", tools: [broken, ...toolsets.paper.tools] };

  it("it is reported, the call counts as valid, and later calls are not run", async () => {
    const calls = [adding("a"), callOf("broken", {}), adding("b")];
    const { world, results, failure } = await executeCalls(worldOf(), calls, options({ toolset }));
    expect(failure).toBe("broken: the embedding service is down");
    expect(results.map((result) => result.verdict)).toEqual(["valid", "valid", "refused"]);
    expect(results[1]!.observation).toBe("The tool failed: the embedding service is down");
    expect(results[2]!.observation).toBe("Not run: an earlier tool call failed.");
    expect(world.bank.size).toBe(1);
  });

  it("a cancelled run is not a failure: it is thrown on", async () => {
    const controller = new AbortController();
    const calls = [callOf("broken", {})];
    controller.abort();
    await expect(executeCalls(worldOf(), calls, options({ toolset, signal: controller.signal }))).rejects.toThrow(
      "embedding service",
    );
  });
});
