/** memory_key_retrieve(title): the full content of one entry, by its exact title (App. A.1, A.2). */
import { z } from "zod";
import { getEntry } from "../memory/bank.ts";
import { entryMiss, missingTitle } from "./entry-outcome.ts";
import { defineTool } from "./tool.ts";

export const memoryKeyRetrieve = defineTool({
  name: "memory_key_retrieve",
  description: "Read the full content of the entry with this exact title.",
  schema: z.object({ title: z.string().min(1).describe("Exact title of the entry to read") }),
  phases: ["memory", "qa"],
  kind: "read",
  run(world, { title }) {
    const entry = getEntry(world.bank, title);
    if (!entry) return entryMiss(world, missingTitle(world.bank, title));
    return {
      verdict: "valid",
      observation: entry.content === "" ? "This entry is empty." : entry.content,
      world,
      writes: [],
      reads: [{ kind: "entry", id: entry.id, rank: 1, score: null }],
    };
  },
});
