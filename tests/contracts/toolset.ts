/** What every toolset must hold, whatever its tools do: definitions that providers take, scope, and no throw on what a model wrote. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { executeCalls } from "../../tools/execute-calls.ts";
import { offerOf, type Toolset } from "../../tools/toolsets.ts";
import { bankOf, callOf, options, smallSource, worldOf } from "../support/worlds.ts";

export function toolsetContract(toolset: Toolset) {
  describe(`toolset contract: ${toolset.name}`, () => {
    it("names are unique and of the characters that every provider accepts", () => {
      const names = toolset.tools.map((tool) => tool.name);
      expect(new Set(names).size).toBe(names.length);
      for (const name of names) expect(name).toMatch(/^[a-z0-9_]{1,64}$/);
    });

    it("every tool is offered in some phase, and every parameter is described", () => {
      for (const tool of toolset.tools) {
        expect(tool.phases.length).toBeGreaterThan(0);
        expect(tool.description.length).toBeGreaterThan(20);
      }
      for (const phase of ["memory", "qa"] as const) {
        for (const { function: definition } of offerOf(toolset, phase).definitions) {
          const parameters = definition.parameters as { properties: Record<string, { description?: string }> };
          for (const field of Object.values(parameters.properties)) expect(field.description).toBeTruthy();
          expect(JSON.parse(JSON.stringify(definition))).toEqual(definition);
        }
      }
    });

    it("nothing that writes is offered while a question is answered", () => {
      expect(offerOf(toolset, "qa").tools.filter((tool) => tool.kind === "write")).toEqual([]);
    });

    it("any arguments give one observation, never an exception, and leave the world that was given untouched", async () => {
      const world = worldOf(bankOf({ a: "1", "2024-01-01": "2024-01-01 | Dining | Lunch | 1.00" }), smallSource());
      const before = world.bank;
      const value = fc.oneof(
        fc.string(),
        fc.constantFrom("a", "2024-01-01", "", "__proto__", "constructor", null, undefined, 0, -1, 1e9, Number.NaN),
        fc.jsonValue({ maxDepth: 2 }),
      );
      await fc.assert(
        fc.asyncProperty(
          fc.constantFrom(...toolset.tools),
          fc.array(fc.tuple(fc.string(), value), { maxLength: 2 }),
          fc.infiniteStream(value),
          async (tool, extra, values) => {
            const stream = values[Symbol.iterator]();
            const phase = tool.phases[0]!;
            const definition = offerOf(toolset, phase).definitions.find(({ function: f }) => f.name === tool.name)!;
            const names = Object.keys((definition.function.parameters as { properties: object }).properties);
            const args = Object.fromEntries([...names.map((name) => [name, stream.next().value] as const), ...extra]);
            const { results } = await executeCalls(world, [callOf(tool.name, args)], options({ toolset, phase }));
            expect(results).toHaveLength(1);
            expect(results[0]!.observation).not.toBe("");
            if (tool.kind === "read") expect(results[0]!.writes).toEqual([]);
            expect(world.bank).toBe(before);
          },
        ),
        { numRuns: 300, seed: 3 },
      );
    });
  });
}
