/** memory_delete(title): removes an entry (App. A.1). Its versions stay in the bank's journal. */
import { z } from "zod";
import { deleteEntry } from "../memory/bank.ts";
import { entryMiss, entryWrite } from "./entry-outcome.ts";
import { defineTool } from "./tool.ts";

export const memoryDelete = defineTool({
  name: "memory_delete",
  description: "Delete the entry with this exact title.",
  schema: z.object({ title: z.string().min(1).describe("Exact title of the entry to delete") }),
  phases: ["memory"],
  kind: "write",
  run(world, { title }) {
    const written = deleteEntry(world.bank, title, world.writer);
    return written.ok ? entryWrite(world, written, `Deleted "${title}".`) : entryMiss(world, written.hint);
  },
});
