/** memory_update(title, content[, new_title]): replaces an entry's content and may rename it (App. A.1). */
import { z } from "zod";
import { updateEntry } from "../memory/bank.ts";
import { entryMiss, entryWrite } from "./entry-outcome.ts";
import { defineTool, LONGEST_TITLE } from "./tool.ts";

export const memoryUpdate = defineTool({
  name: "memory_update",
  description: "Replace the whole content of an existing entry, and optionally give it a new title.",
  schema: z.object({
    title: z.string().min(1).describe("Exact title of the entry to change"),
    content: z.string().describe("The new content; it replaces the old one completely"),
    new_title: z.string().min(1).max(LONGEST_TITLE).describe("New title, if the entry should be renamed").optional(),
  }),
  phases: ["memory"],
  kind: "write",
  run(world, { title, content, new_title }) {
    const change = new_title === undefined ? { title, content } : { title, content, newTitle: new_title };
    const written = updateEntry(world.bank, change, world.writer);
    if (!written.ok) return entryMiss(world, written.hint);
    const renamed = new_title !== undefined && new_title !== title;
    return entryWrite(
      world,
      written,
      renamed ? `Updated "${title}", now titled "${new_title}".` : `Updated "${title}".`,
    );
  },
});
