import { MemorySaver } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { createAgentGraph } from "../../graphs/agent.ts";
import { graphDeps } from "../../graphs/default-deps.ts";
import { createMaintenanceGraph } from "../../graphs/maintenance.ts";
import { loadVariant } from "../../graphs/variants/load-variant.ts";
import { add, list, playing } from "../support/scripts.ts";

const thread = { configurable: { thread_id: "1" } };

/** Everything that the saver keeps, as text: checkpoints and pending writes. */
function stored(saver: MemorySaver): string[] {
  const decoder = new TextDecoder();
  const checkpoints = Object.values(saver.storage["1"] ?? {}).flatMap((byId) =>
    Object.values(byId).map(([bytes]) => bytes),
  );
  const writes = Object.values(saver.writes).flatMap((byTask) => Object.values(byTask).map(([, , bytes]) => bytes));
  return [...checkpoints, ...writes].map((bytes) => decoder.decode(bytes));
}

const keeping = () =>
  playing((request, turn) =>
    request.messages.length === 2
      ? { calls: [list("none"), add(`entry ${turn}`, `BANK-${turn}-CONTENT`)] }
      : { text: "The core, always the same." },
  );

async function checkpointsOf(chunks: number) {
  const saver = new MemorySaver();
  const graph = createMaintenanceGraph(graphDeps({ policy: keeping() }), { checkpointer: saver });
  const text = (i: number) => `CHUNK-${i}-BEGINS ${"word ".repeat(100)}`;
  await graph.invoke({ chunks: Array.from({ length: chunks }, (_, i) => text(i)) }, thread);
  const all = stored(saver);
  const count = (needle: string) => all.reduce((sum, one) => sum + one.split(needle).length - 1, 0);
  return { bytes: all.reduce((sum, one) => sum + one.length, 0), count };
}

describe("checkpoints stay linear in the number of chunks", () => {
  it("twice the chunks take twice the bytes; neither the stream nor the bank is repeated", async () => {
    const [small, middle, large] = [await checkpointsOf(8), await checkpointsOf(16), await checkpointsOf(32)];
    expect(middle.bytes / small.bytes).toBeGreaterThan(1.9);
    expect(middle.bytes / small.bytes).toBeLessThan(2.05);
    expect(large.bytes / middle.bytes).toBeLessThan(2.05);
    // a chunk and an entry are stored as often as their own session needs, however long the stream is
    for (const needle of ["CHUNK-3-BEGINS", "BANK-6-CONTENT"]) {
      expect(small.count(needle)).toBeGreaterThan(0);
      expect(large.count(needle)).toBe(small.count(needle));
    }
  });

  it("the whole agent's fan-out keeps one small state per question", async () => {
    const run = async (questions: number) => {
      const saver = new MemorySaver();
      const policy = playing((request) => (request.messages.length === 2 ? { calls: [list()] } : { text: "Same." }));
      const variant = await loadVariant("uma");
      const graph = createAgentGraph(variant.phases(graphDeps({ policy })), { checkpointer: saver });
      const asked = Array.from({ length: questions }, (_, i) => `What of ${i}?`);
      await graph.invoke({ chunks: [`CHUNK-BEGINS ${"word ".repeat(500)}`], questions: asked }, thread);
      const all = stored(saver);
      return { bytes: all.reduce((sum, one) => sum + one.length, 0), chunk: all.join().split("CHUNK-BEGINS").length };
    };
    const [few, many, none] = [await run(4), await run(8), await run(0)];
    expect((many.bytes - none.bytes) / (few.bytes - none.bytes)).toBeLessThan(2.3);
    expect(many.chunk).toBe(none.chunk);
  });
});
