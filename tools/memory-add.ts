/** memory_add(title, content): a new entry under a title that is not taken (App. A.1). */
import { z } from "zod";
import { addEntry } from "../memory/bank.ts";
import { entryMiss, entryWrite } from "./entry-outcome.ts";
import { defineTool, LONGEST_TITLE } from "./tool.ts";

export const memoryAdd = defineTool({
  name: "memory_add",
  description: "Add a memory entry under a new title. The title must not be taken yet.",
  schema: z.object({
    title: z.string().min(1).max(LONGEST_TITLE).describe("A unique title by which the entry is found again"),
    content: z.string().describe("What to remember"),
  }),
  phases: ["memory"],
  kind: "write",
  run(world, { title, content }) {
    const written = addEntry(world.bank, { title, content }, world.writer);
    return written.ok ? entryWrite(world, written, `Added "${title}".`) : entryMiss(world, written.hint);
  },
});
